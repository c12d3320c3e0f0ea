import type { Knex } from '@platform-backend/postgres';

/** What runs are started with beside datasets. What the version before writes declares nothing. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE pipeline_versions ADD COLUMN parameters jsonb NOT NULL DEFAULT '[]';
    ALTER TABLE pipelines ADD COLUMN schedule_parameters jsonb NOT NULL DEFAULT '{}';
  `);
}
