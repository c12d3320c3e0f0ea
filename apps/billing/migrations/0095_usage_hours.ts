import { tenantTable, type Knex } from '@platform-backend/postgres';

/**
 * Requests by UTC hour. Credits have no table like it: they are summed up from `credit_debits`, by its index on the time, so that
 * booking a debit writes nothing more than it did. What was counted before, or by a replica of the release before, is in no hour.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE usage_hours (
      organisation_id text NOT NULL,
      hour timestamptz(3) NOT NULL,
      client_group_id uuid NOT NULL,
      api_key_id uuid NOT NULL,
      requests bigint NOT NULL CHECK (requests >= 0),
      PRIMARY KEY (organisation_id, hour, client_group_id, api_key_id)
    );
  `);
  await tenantTable(knex, 'usage_hours', { privileges: ['select', 'insert', 'update', 'delete'] });
}
