import type { Knex } from '@platform-backend/postgres';

/** The parameters of runs as they were written: `jsonb` knows no negative zero, and readers of it no more digits than a double has. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE notebook_runs ADD COLUMN parameters_text text');
}
