import type { Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  // Null: the organisation has not said where it is.
  await knex.schema.alterTable('billing_details', (table) => {
    table.text('country');
  });
}
