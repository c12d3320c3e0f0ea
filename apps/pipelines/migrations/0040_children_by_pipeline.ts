import type { Knex } from '@platform-backend/postgres';

/** Child runs that wait are looked for pipeline by pipeline, so that those of one keep none of another from their place. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX runs_of_parents_waiting_by_pipeline ON runs (organisation_id, pipeline_id, created_at, id)
      WHERE parent_run_id IS NOT NULL AND admitted_at IS NULL AND finished_at IS NULL;
    DROP INDEX runs_of_parents_waiting;
  `);
}
