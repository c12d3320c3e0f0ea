import type { Knex } from '@platform-backend/postgres';

/** Grows with every change of what an organisation pays with, so that an older look at the processor does not undo a newer change. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('payment_customers', (table) => {
    table.bigInteger('version').notNullable().defaultTo(0);
  });
}
