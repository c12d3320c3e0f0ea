import { tenantTable, type Knex } from '@platform-backend/postgres';

/** How often something was tried that those who test stolen cards try often, by organisation and by card. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE payment_counts (
      -- An organisation's, or 'card:' and what the processor tells cards apart by: one card may be tried by many.
      organisation_id text NOT NULL,
      name text NOT NULL,
      count integer NOT NULL,
      -- Then it begins anew.
      ends_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, name)
    );
    ALTER TABLE payment_methods ADD COLUMN fingerprint text NOT NULL DEFAULT '';
  `);
  await tenantTable(knex, 'payment_counts', { privileges: ['select', 'insert', 'update'] });
}
