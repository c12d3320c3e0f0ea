import type { Knex } from '@platform-backend/postgres';

/** Organisations take turns at what is due of their executions and notifications. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX task_executions_due_by_organisation ON task_executions (organisation_id, look_at, id)
      WHERE look_at IS NOT NULL;
    CREATE INDEX task_notifications_due_by_organisation ON task_notifications (organisation_id, look_at, id)
      WHERE look_at IS NOT NULL;
    DROP INDEX task_executions_due;
    DROP INDEX task_notifications_due;
  `);
}
