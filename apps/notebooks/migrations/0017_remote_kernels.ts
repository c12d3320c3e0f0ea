import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Kernels on Jupyter Servers elsewhere, which go on there when the replica is killed that has begun them: any other one removes them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE remote_kernels (
      server text NOT NULL,
      id text NOT NULL,
      -- Null: nothing of anybody ever runs in it.
      organisation_id text,
      lease_until timestamptz(3) NOT NULL,
      PRIMARY KEY (server, id)
    );
    CREATE INDEX remote_kernels_by_lease ON remote_kernels (server, lease_until);
  `);
  await tenantTable(knex, 'remote_kernels', { open: [{ setting: 'app.sweep', value: 'kernels', allow: 'all' }] });
}
