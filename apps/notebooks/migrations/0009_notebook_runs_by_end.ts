import type { Knex } from '@platform-backend/postgres';

/** Runs that ended long ago are removed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE INDEX notebook_runs_by_end ON notebook_runs (finished_at) WHERE finished_at IS NOT NULL');
}
