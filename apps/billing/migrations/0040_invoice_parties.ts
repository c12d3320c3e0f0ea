import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  // Null on invoices that were issued before there were such snapshots.
  await knex.schema.alterTable('invoices', (table) => {
    table.jsonb('seller');
    table.jsonb('billing_details');
    table.text('tax_label');
    table.integer('tax_basis_points');
  });

  // For whom an invoice is, said when it is issued or, if the name could not be had then, once afterwards.
  await knex.schema.createTable('invoice_buyers', (table) => {
    table.text('organisation_id').notNullable();
    table.uuid('invoice_id').notNullable().references('invoices.id');
    table.text('organisation_name').notNullable();
    table.primary(['organisation_id', 'invoice_id']);
  });
  await tenantTable(knex, 'invoice_buyers', { privileges: ['select', 'insert'] });

  await knex.schema.createTable('organisation_names', (table) => {
    table.text('organisation_id').primary();
    table.text('name').notNullable();
    table.timestamp('heard_at', { precision: 3 }).notNullable();
  });
  await tenantTable(knex, 'organisation_names', { privileges: ['select', 'insert', 'update'] });

  await knex.schema.createTable('billing_details', (table) => {
    table.text('organisation_id').primary();
    table.text('company_name').notNullable();
    table.jsonb('address_lines').notNullable();
    table.text('vat_id').notNullable();
    table.timestamp('updated_at', { precision: 3 }).notNullable();
  });
  await tenantTable(knex, 'billing_details', { privileges: ['select', 'insert', 'update'] });
}
