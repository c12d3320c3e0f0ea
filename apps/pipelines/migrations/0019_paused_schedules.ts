import type { Knex } from '@platform-backend/postgres';

export const up = (knex: Knex) =>
  knex.raw(`
    ALTER TABLE pipelines ADD COLUMN schedule_enabled boolean NOT NULL DEFAULT true,
                          ADD COLUMN paused_reason text,
                          ADD COLUMN failures_in_row integer NOT NULL DEFAULT 0;
  `);
