import type { Knex } from '@platform-backend/postgres';

/**
 * When the token was issued that name and address were last taken from: an older one takes them back no more. Null: not known, or written
 * by the version before, which does not touch it; then any token is believed.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('users', (table) => {
    table.timestamp('facts_issued_at', { precision: 3 });
  });
}
