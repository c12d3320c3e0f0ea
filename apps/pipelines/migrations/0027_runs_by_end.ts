import type { Knex } from '@platform-backend/postgres';

/** Runs that ended long ago are removed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE INDEX runs_by_end ON runs (finished_at) WHERE finished_at IS NOT NULL');
}
