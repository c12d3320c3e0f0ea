import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await createOrganisations(knex);
  await createMembers(knex);
  await openUsersToThoseWhoMaySeeThem(knex);
}

async function createOrganisations(knex: Knex): Promise<void> {
  await knex.schema.createTable('organisations', (table) => {
    table.text('id').primary();
    table.text('email').notNullable();
    table.text('name').notNullable();
    table.text('image_url').notNullable();
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table.bigInteger('subscription_version').notNullable();
    table.text('subscription_tier').notNullable().checkIn(['BASIC', 'TEAM'], 'organisations_tier');
    table.integer('max_member_limit').notNullable();
    table.boolean('seats_renewal_enabled').notNullable();
    table.text('seats_renewal_cycle').notNullable().checkIn(['MONTHLY', 'YEARLY'], 'organisations_cycle');
    table.timestamp('seats_expired_at', { precision: 3 }).notNullable();
    table.boolean('credit_checks_enabled').notNullable();
    table.boolean('has_plan').notNullable();
  });
  await tenantTable(knex, 'organisations', { column: 'id' });
}

async function createMembers(knex: Knex): Promise<void> {
  await knex.schema.createTable('members', (table) => {
    table.uuid('id').primary();
    table.text('organisation_id').notNullable().references('organisations.id').onDelete('CASCADE');
    table.uuid('user_id').references('users.id');
    table.text('email').notNullable();
    // The form in which addresses are compared: trimmed and in lower case.
    table.text('normal_email').notNullable();
    table.text('level').notNullable().checkIn(['VIEWER', 'EDITOR', 'ADMIN', 'OWNER'], 'members_level');
    table.text('status').notNullable().checkIn(['invited', 'active', 'suspended', 'removed'], 'members_status');
    table.text('invited_by').notNullable();
    table.timestamp('invitation_expires_at', { precision: 3 });
    table.timestamp('created_at', { precision: 3 }).notNullable();
    // Keys refer to both, so that no key can ever belong to another organisation's member.
    table.unique(['organisation_id', 'id'], { indexName: 'members_organisation_and_id' });
    table.index(['organisation_id', 'created_at', 'id'], 'members_by_age');
    table.check("(status IN ('active', 'suspended')) <= (user_id IS NOT NULL)", {}, 'members_have_users');
  });
  await tenantTable(knex, 'members', {
    privileges: ['select', 'insert', 'update'],
    open: [{ column: 'user_id', setting: 'app.user_id', type: 'uuid' }],
  });
  await knex.raw(`
    CREATE UNIQUE INDEX members_one_per_user ON members (organisation_id, user_id)
      WHERE status IN ('active', 'suspended');
    CREATE UNIQUE INDEX members_one_invitation_per_email ON members (organisation_id, normal_email)
      WHERE status = 'invited';
    CREATE INDEX members_of_user ON members (user_id);
    CREATE INDEX members_invited ON members (normal_email, created_at, id) WHERE status = 'invited';

    -- An invited person sees the open invitations to an address that is proven to be theirs.
    CREATE POLICY opened_by_app_invited_email ON members FOR SELECT
      USING (status = 'invited' AND normal_email = nullif(current_setting('app.invited_email', true), ''));

    -- A user's own organisations, listed in one go. Who sets this has read the ids from the user's own memberships.
    CREATE POLICY opened_by_app_organisation_ids ON members FOR SELECT
      USING (organisation_id = ANY (string_to_array(current_setting('app.organisation_ids', true), ',')));

    -- Whoever can see a membership or an invitation can see what it belongs to.
    CREATE POLICY of_visible_members ON organisations FOR SELECT
      USING (EXISTS (SELECT FROM members
                     WHERE members.organisation_id = organisations.id AND members.status <> 'removed'));
  `);
}

/** A user is visible to a transaction that names issuer and subject exactly, or that sees a membership of theirs. */
async function openUsersToThoseWhoMaySeeThem(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE users ENABLE ROW LEVEL SECURITY;
    ALTER TABLE users FORCE ROW LEVEL SECURITY;
    CREATE POLICY own ON users
      USING (issuer = nullif(current_setting('app.issuer', true), '')
         AND subject = nullif(current_setting('app.subject', true), ''));
    CREATE POLICY of_visible_members ON users FOR SELECT
      USING (EXISTS (SELECT FROM members WHERE members.user_id = users.id));
  `);
}
