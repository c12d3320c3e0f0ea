import type { Knex } from '@platform-backend/postgres';

/** A kernel whose minutes somebody else pays for. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE kernels ADD COLUMN is_charged boolean NOT NULL DEFAULT true');
}
