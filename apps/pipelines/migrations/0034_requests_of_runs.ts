import type { Knex } from '@platform-backend/postgres';

/** The request that a run comes of, and one that is asked for. Null of what the version before has written. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE runs ADD COLUMN request_id text;
    ALTER TABLE run_requests ADD COLUMN request_id text;
  `);
}
