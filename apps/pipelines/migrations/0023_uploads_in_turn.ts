import type { Knex } from '@platform-backend/postgres';

/** Organisations take turns at what is due of their uploads. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX datasets_with_work_by_organisation ON datasets (organisation_id, work_at) WHERE work_at IS NOT NULL;
    DROP INDEX datasets_with_work;
  `);
}
