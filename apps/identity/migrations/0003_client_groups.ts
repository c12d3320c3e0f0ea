import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('client_groups', (table) => {
    table.uuid('id').primary();
    table.text('organisation_id').notNullable().references('organisations.id').onDelete('CASCADE');
    table.text('name').notNullable();
    table.text('description').notNullable();
    table.boolean('archived').notNullable();
    table.boolean('is_default').notNullable();
    // All null, or the first and the last given: a policy exists as a whole.
    table.integer('policy_period_days');
    table.bigInteger('policy_ai_credit_limit');
    table.bigInteger('policy_infrastructure_credit_limit');
    table.bigInteger('policy_request_limit');
    table.boolean('policy_hard_stop');
    table.jsonb('usage').notNullable();
    table.bigInteger('usage_version').notNullable();
    table.jsonb('asset_access').notNullable();
    table.jsonb('folder_access').notNullable();
    table.jsonb('file_access').notNullable();
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table.unique(['organisation_id', 'id'], { indexName: 'client_groups_organisation_and_id' });
    table.index(['organisation_id', 'archived', 'created_at', 'id'], 'client_groups_by_age');
    table.check('(policy_period_days IS NULL) = (policy_hard_stop IS NULL)', {}, 'client_groups_policy');
    table.check('NOT (is_default AND archived)', {}, 'client_groups_default_is_live');
  });
  await knex.raw('CREATE UNIQUE INDEX client_groups_one_default ON client_groups (organisation_id) WHERE is_default');
  await tenantTable(knex, 'client_groups');

  await knex.schema.createTable('client_members', (table) => {
    partOfGroup(table);
    table.text('email').notNullable();
    table.text('status').notNullable().checkIn(['invited', 'active', 'suspended'], 'client_members_status');
    table.jsonb('folder_access').notNullable();
    table.jsonb('file_access').notNullable();
  });
  await knex.raw('CREATE UNIQUE INDEX client_members_one_per_email ON client_members (group_id, lower(email))');
  await tenantTable(knex, 'client_members');

  await knex.schema.createTable('client_workspaces', (table) => {
    partOfGroup(table);
    table.text('description').notNullable();
    table.text('access_level').notNullable().checkIn(['VIEW', 'COMMENT', 'EDIT', 'MANAGE'], 'client_workspaces_level');
  });
  await tenantTable(knex, 'client_workspaces');
}

/** The foreign key spans the organisation too, so that a row can never belong to another organisation's group. */
function partOfGroup(table: Knex.CreateTableBuilder): void {
  table.uuid('id').primary();
  table.text('organisation_id').notNullable();
  table.uuid('group_id').notNullable();
  table.text('name').notNullable();
  table.timestamp('created_at', { precision: 3 }).notNullable();
  table
    .foreign(['organisation_id', 'group_id'])
    .references(['organisation_id', 'id'])
    .inTable('client_groups')
    .onDelete('CASCADE');
  table.index(['organisation_id', 'group_id', 'created_at', 'id']);
}
