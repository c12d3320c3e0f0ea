import type { Knex } from '@platform-backend/postgres';

export const up = (knex: Knex) =>
  knex.raw('ALTER TABLE task_notifications ADD COLUMN takes integer NOT NULL DEFAULT 0');
