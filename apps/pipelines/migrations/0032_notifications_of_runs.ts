import type { Knex } from '@platform-backend/postgres';

/** Whatever refers to a run is found when the run is removed: by an index of all rows. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX task_notifications_of_run;
    CREATE INDEX task_notifications_by_run ON task_notifications (run_id, id);
  `);
}
