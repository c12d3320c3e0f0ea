import type { Knex } from '@platform-backend/postgres';

/** Runs that steps of others start and wait for. What the version before writes has neither. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE runs ADD COLUMN parent jsonb, ADD COLUMN parent_run_id uuid, ADD COLUMN parameters jsonb NOT NULL DEFAULT '{}',
      ADD COLUMN starts_runs boolean NOT NULL DEFAULT false;
    CREATE INDEX runs_of_parents ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL AND finished_at IS NULL;
    CREATE INDEX runs_of_parents_waiting ON runs (organisation_id, created_at, id)
      WHERE parent_run_id IS NOT NULL AND admitted_at IS NULL AND finished_at IS NULL;
    CREATE INDEX runs_that_start_others ON runs (id) WHERE starts_runs AND finished_at IS NULL;
  `);
}
