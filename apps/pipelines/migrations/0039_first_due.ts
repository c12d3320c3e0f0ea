import type { Knex } from '@platform-backend/postgres';

/** When the first of all is due is asked by every replica that rests; the indexes by organisation answer it by reading all of it. */
export const up = (knex: Knex) =>
  knex.raw(`
    CREATE INDEX datasets_first_due ON datasets (work_at) WHERE work_at IS NOT NULL;
    CREATE INDEX task_executions_first_due ON task_executions (look_at) WHERE look_at IS NOT NULL;
    CREATE INDEX task_notifications_first_due ON task_notifications (look_at) WHERE look_at IS NOT NULL;
    CREATE INDEX run_requests_first_due ON run_requests (look_at);
  `);
