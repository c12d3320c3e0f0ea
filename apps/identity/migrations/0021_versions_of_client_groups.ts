import type { Knex } from '@platform-backend/postgres';

/** Grows with every change that events tell of, so that whoever hears of them late or twice can tell. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE client_groups ADD COLUMN version bigint NOT NULL DEFAULT 1');
}
