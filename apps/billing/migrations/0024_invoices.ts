import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('invoices', (table) => {
    table.uuid('id').primary();
    table.text('organisation_id').notNullable();
    table.text('number').notNullable();
    table.text('source').notNullable();
    table.text('currency').notNullable();
    table.text('country').notNullable();
    table.jsonb('lines').notNullable();
    table.bigInteger('subtotal_minor').notNullable();
    table.bigInteger('tax_minor').notNullable();
    table.bigInteger('total_minor').notNullable();
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table.timestamp('paid_at', { precision: 3 }).notNullable();
    table.unique(['organisation_id', 'number'], { indexName: 'invoices_number' });
    table.unique(['organisation_id', 'source'], { indexName: 'invoices_one_per_source' });
    table.index(['organisation_id', 'created_at', 'id'], 'invoices_by_age');
    table.check('subtotal_minor + tax_minor = total_minor', {}, 'invoices_total');
  });
  // An issued invoice never changes: the service's role has no right to.
  await tenantTable(knex, 'invoices', { privileges: ['select', 'insert'] });

  // A sequence would leave gaps behind transactions that were rolled back.
  await knex.schema.createTable('invoice_counts', (table) => {
    table.text('organisation_id').notNullable();
    table.integer('year').notNullable();
    table.integer('count').notNullable();
    table.primary(['organisation_id', 'year']);
  });
  await tenantTable(knex, 'invoice_counts', { privileges: ['select', 'insert', 'update'] });

  // With which payment method a charge was first tried: trying it again must be the same charge.
  await knex.schema.createTable('charge_attempts', (table) => {
    table.text('organisation_id').notNullable();
    table.text('idempotency_key').notNullable();
    table.text('payment_method').notNullable();
    table.primary(['organisation_id', 'idempotency_key']);
  });
  await tenantTable(knex, 'charge_attempts', { privileges: ['select', 'insert'] });
}
