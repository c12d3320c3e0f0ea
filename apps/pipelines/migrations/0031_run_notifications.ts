import type { Knex } from '@platform-backend/postgres';

/** The ends of runs are told as those of executions are. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE pipelines
      ADD COLUMN notification_settings jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN notify_on text NOT NULL DEFAULT 'FAILURE' CHECK (notify_on IN ('FAILURE', 'FINISH'));
    -- Whether its pipeline named somebody when it was started: what nobody is told of asks for nothing more.
    ALTER TABLE runs ADD COLUMN notifies boolean NOT NULL DEFAULT false;
    ALTER TABLE task_notifications
      ALTER COLUMN execution_id DROP NOT NULL,
      ADD COLUMN run_id uuid REFERENCES runs (id) ON DELETE CASCADE,
      ADD CONSTRAINT task_notifications_of_one CHECK (num_nonnulls(execution_id, run_id) = 1);
    CREATE INDEX task_notifications_of_run ON task_notifications (run_id, id) WHERE run_id IS NOT NULL;
  `);
}
