import type { Knex } from '../../src/index.ts';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE TABLE IF NOT EXISTS busy (id int)');
  await knex.raw('CREATE INDEX CONCURRENTLY IF NOT EXISTS busy_id ON busy (id)');
}
