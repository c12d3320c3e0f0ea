import type { Knex } from '@platform-backend/postgres';

/**
 * Whether an account has got what everybody gets once: a purchase may open it first. Those that are there count as having got it; the release
 * before gives it by itself, once for its source.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE credit_accounts ADD COLUMN welcomed boolean NOT NULL DEFAULT true;
    ALTER TABLE credit_accounts ALTER COLUMN welcomed SET DEFAULT false;
  `);
}
