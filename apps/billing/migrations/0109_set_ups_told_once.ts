import type { Knex } from '@platform-backend/postgres';

/** The set-up that was told last, so that a call that is repeated tells of the same one once. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('payment_customers', (table) => {
    table.text('last_setup_id');
  });
}
