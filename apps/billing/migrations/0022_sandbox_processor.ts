import { tenantTable, type Knex } from '@platform-backend/postgres';

/** What a payment company would keep on its side, for the sandbox that stands in for one. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('sandbox_cards', (table) => {
    table.text('id').primary();
    table.text('organisation_id').notNullable();
    // The test card it was made from, which decides what becomes of payments.
    table.text('card').notNullable();
    table.timestamp('attached_at', { precision: 3 }).notNullable();
    table.timestamp('detached_at', { precision: 3 });
    table.index(['organisation_id', 'attached_at'], 'sandbox_cards_by_age');
  });
  await knex.schema.createTable('sandbox_setup_intents', (table) => {
    table.text('id').primary();
    table.text('organisation_id').notNullable();
    table.text('idempotency_key').notNullable();
    table.text('client_secret').notNullable();
    table.text('status').notNullable().checkIn(['requires_payment_method', 'succeeded'], 'sandbox_setups_status');
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table.unique(['organisation_id', 'idempotency_key'], { indexName: 'sandbox_setup_intents_once' });
  });
  await knex.schema.createTable('sandbox_payments', (table) => {
    table.text('id').primary();
    table.text('organisation_id').notNullable();
    table.text('idempotency_key').notNullable();
    table.text('client_secret').notNullable();
    table.text('card').notNullable();
    table.bigInteger('amount').notNullable();
    table.text('currency').notNullable();
    table.text('description').notNullable();
    table.text('status').notNullable().checkIn(['succeeded', 'declined', 'requires_action'], 'sandbox_payments_status');
    table.text('reason');
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table.unique(['organisation_id', 'idempotency_key'], { indexName: 'sandbox_payments_once' });
  });
  for (const table of ['sandbox_cards', 'sandbox_setup_intents', 'sandbox_payments']) {
    await tenantTable(knex, table, { privileges: ['select', 'insert', 'update'] });
  }
}
