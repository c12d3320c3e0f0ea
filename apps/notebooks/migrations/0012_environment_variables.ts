import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Variables of the environment of an organisation's kernels. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE environment_variables (
      organisation_id text NOT NULL,
      name text NOT NULL,
      -- Sealed by the service.
      value text NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, name)
    );
  `);
  await tenantTable(knex, 'environment_variables');
}
