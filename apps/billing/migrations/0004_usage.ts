import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await createUsageDays(knex);
  await createPolicies(knex);
  await createQuotas(knex);
}

/** What belongs to no client group or key is counted under the id of zeros, so that a row can be found by all four. */
async function createUsageDays(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE usage_days (
      organisation_id text NOT NULL,
      day date NOT NULL,
      client_group_id uuid NOT NULL,
      api_key_id uuid NOT NULL,
      requests bigint NOT NULL DEFAULT 0 CHECK (requests >= 0),
      ai_credits_micros bigint NOT NULL DEFAULT 0 CHECK (ai_credits_micros >= 0),
      infrastructure_credits_micros bigint NOT NULL DEFAULT 0 CHECK (infrastructure_credits_micros >= 0),
      -- Grows with every change; identity has been told of the one before or of this one.
      revision bigint NOT NULL DEFAULT 1,
      reported_revision bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (organisation_id, client_group_id, day, api_key_id)
    );
    CREATE INDEX usage_days_by_day ON usage_days (organisation_id, day);
    CREATE INDEX usage_days_unreported ON usage_days (organisation_id, client_group_id) WHERE revision <> reported_revision;

    -- Records that were counted, for as long as they may be sent again.
    CREATE TABLE usage_records (
      organisation_id text NOT NULL,
      id uuid NOT NULL,
      counted_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, id)
    );
    CREATE INDEX usage_records_by_age ON usage_records (organisation_id, counted_at);
  `);
  await tenantTable(knex, 'usage_days', {
    privileges: ['select', 'insert', 'update'],
    open: [{ setting: 'app.sweep', value: 'usage' }],
  });
  await tenantTable(knex, 'usage_records', { privileges: ['select', 'insert', 'delete'] });
}

/** What identity last said, for when it is away. */
async function createPolicies(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE client_policies (
      organisation_id text NOT NULL,
      client_group_id uuid NOT NULL,
      is_default boolean NOT NULL,
      -- Periods are counted from this day.
      counted_from date NOT NULL,
      -- Null: the group has no policy.
      policy jsonb,
      read_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, client_group_id)
    );
    CREATE UNIQUE INDEX client_policies_one_default ON client_policies (organisation_id) WHERE is_default;
  `);
  await tenantTable(knex, 'client_policies', { privileges: ['select', 'insert', 'update'] });
}

async function createQuotas(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE quota_periods (
      organisation_id text NOT NULL,
      client_group_id uuid NOT NULL,
      starts_on date NOT NULL,
      -- The highest percentage of each limit that members were told of.
      requests_told smallint NOT NULL,
      ai_credits_told smallint NOT NULL,
      infrastructure_credits_told smallint NOT NULL,
      PRIMARY KEY (organisation_id, client_group_id, starts_on)
    );
    CREATE TABLE quota_leases (
      organisation_id text NOT NULL,
      id uuid NOT NULL,
      client_group_id uuid NOT NULL,
      api_key_id uuid NOT NULL,
      period_starts_on date NOT NULL,
      granted integer NOT NULL CHECK (granted >= 0),
      -- Null while nobody has said how many were used.
      used integer CHECK (used BETWEEN 0 AND granted),
      answer jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, id)
    );
    CREATE INDEX quota_leases_open ON quota_leases (organisation_id, client_group_id, expires_at) WHERE used IS NULL;
  `);
  await tenantTable(knex, 'quota_periods', { privileges: ['select', 'insert', 'update'] });
  await tenantTable(knex, 'quota_leases', { privileges: ['select', 'insert', 'update'] });
}
