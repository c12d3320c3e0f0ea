import type { Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Each process asks every two seconds which of its runs shall end.
    CREATE INDEX runs_cancelling ON runs (cancelling_at) WHERE status = 'Cancelling';
    CREATE INDEX task_notifications_of_execution ON task_notifications (execution_id, id);
  `);
}
