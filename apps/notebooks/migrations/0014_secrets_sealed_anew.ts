import type { Knex } from '@platform-backend/postgres';

/** Whoever seals secrets anew reads and writes those of all organisations (`secrets reseal`). */
export const up = (knex: Knex) =>
  knex.raw(`
    CREATE POLICY read_by_resealing ON environment_variables FOR SELECT
      USING (current_setting('app.secrets', true) = 'reseal');
    CREATE POLICY written_by_resealing ON environment_variables FOR UPDATE
      USING (current_setting('app.secrets', true) = 'reseal');
  `);
