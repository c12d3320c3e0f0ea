import { grantToAppRole, type Knex } from '@platform-backend/postgres';

/** Whoever seals secrets anew reads and writes those of all organisations (`secrets reseal`). */
export async function up(knex: Knex): Promise<void> {
  for (const table of ['webhooks', 'pipeline_versions'])
    await knex.raw(`
      CREATE POLICY read_by_resealing ON ${table} FOR SELECT USING (current_setting('app.secrets', true) = 'reseal');
      CREATE POLICY written_by_resealing ON ${table} FOR UPDATE USING (current_setting('app.secrets', true) = 'reseal');
    `);
  // A version never changes otherwise.
  await knex.raw(`
    CREATE POLICY changed_by_nobody_else ON pipeline_versions AS RESTRICTIVE FOR UPDATE
      USING (current_setting('app.secrets', true) = 'reseal')
  `);
  await grantToAppRole(knex, 'pipeline_versions', ['update']);
}
