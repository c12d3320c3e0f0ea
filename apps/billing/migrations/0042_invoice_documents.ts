import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  // Like the invoice it shows, a document never changes: the service's role has no right to.
  await knex.schema.createTable('invoice_documents', (table) => {
    table.text('organisation_id').notNullable();
    table.uuid('invoice_id').notNullable().references('invoices.id');
    table.binary('content').notNullable();
    table.primary(['organisation_id', 'invoice_id']);
  });
  await tenantTable(knex, 'invoice_documents', { privileges: ['select', 'insert'] });
}
