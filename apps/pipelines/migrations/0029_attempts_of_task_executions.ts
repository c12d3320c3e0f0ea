import type { Knex } from '@platform-backend/postgres';

/** When the present attempt of an execution began; those that are there have the time at which they were made. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE task_executions ADD COLUMN attempt_started_at timestamptz(3)');
}
