import { tenantTable, type Knex } from '@platform/postgres';

export async function up(knex: Knex): Promise<void> {
  // What belongs to no client group or key is counted under the id of zeros, so that a row can be found by all four.
  await knex.raw(`
    CREATE TABLE usage_days (
      organisation_id text NOT NULL,
      day date NOT NULL,
      client_group_id uuid NOT NULL,
      api_key_id uuid NOT NULL,
      requests bigint NOT NULL CHECK (requests >= 0),
      ai_credits_micros bigint NOT NULL CHECK (ai_credits_micros >= 0),
      infrastructure_credits_micros bigint NOT NULL CHECK (infrastructure_credits_micros >= 0),
      PRIMARY KEY (organisation_id, client_group_id, day, api_key_id)
    );
    CREATE INDEX usage_days_by_day ON usage_days (organisation_id, day);
  `);
  await tenantTable(knex, 'usage_days', { privileges: ['select', 'insert', 'update'] });
}
