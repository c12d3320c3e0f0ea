import { tenantTable, type Knex } from '@platform-backend/postgres';

/** With what the tokens of an organisation's previews are signed, for all replicas. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE preview_keys (
      organisation_id text PRIMARY KEY,
      key text NOT NULL
    )
  `);
  await tenantTable(knex, 'preview_keys', { privileges: ['select', 'insert'] });
}
