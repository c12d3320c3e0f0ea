import type { Knex } from '@platform-backend/postgres';

export const up = (knex: Knex) =>
  knex.raw(`
    ALTER TABLE pipelines ADD COLUMN run_time_limit_seconds integer NOT NULL DEFAULT 86400;
    ALTER TABLE runs ADD COLUMN time_limit_seconds integer NOT NULL DEFAULT 86400;
  `);
