import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Kernels that are for one organisation alone, and for which: all replicas know the same one, and after a restart as well. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE kernel_owners (
      -- What the kernels share: where they are.
      shared text PRIMARY KEY,
      organisation_id text NOT NULL
    );
    CREATE INDEX kernel_owners_of_organisation ON kernel_owners (organisation_id);
  `);
  await tenantTable(knex, 'kernel_owners', { open: [{ setting: 'app.sweep', value: 'kernels', allow: 'all' }] });
}
