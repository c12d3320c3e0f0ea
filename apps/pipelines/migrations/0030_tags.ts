import type { Knex } from '@platform-backend/postgres';

/** Words by which pipelines and their runs are found. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE pipelines ADD COLUMN tags text[] NOT NULL DEFAULT '{}';
    ALTER TABLE runs ADD COLUMN tags text[] NOT NULL DEFAULT '{}';
  `);
}
