import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('payment_customers', (table) => {
    table.text('organisation_id').notNullable();
    table.text('provider').notNullable();
    table.text('reference').notNullable();
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table.primary(['organisation_id', 'provider']);
    table.unique(['reference'], { indexName: 'payment_customers_reference' });
  });
  await tenantTable(knex, 'payment_customers', {
    privileges: ['select', 'insert', 'update'],
    // A provider speaks of its customer, not of our organisation.
    open: [{ column: 'reference', setting: 'app.payment_customer' }],
  });

  await knex.schema.createTable('payment_methods', (table) => {
    table.uuid('id').primary();
    table.text('organisation_id').notNullable();
    table.text('provider').notNullable();
    table.text('reference').notNullable();
    table.text('kind').notNullable();
    table.text('brand').notNullable();
    table.text('last_four').notNullable();
    table.integer('expiry_month');
    table.integer('expiry_year');
    table.boolean('is_default').notNullable();
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table
      .foreign(['organisation_id', 'provider'])
      .references(['organisation_id', 'provider'])
      .inTable('payment_customers');
    table.unique(['organisation_id', 'provider', 'reference'], { indexName: 'payment_methods_reference' });
    table.index(['organisation_id', 'created_at', 'id'], 'payment_methods_by_age');
  });
  await tenantTable(knex, 'payment_methods');
  await knex.raw(`
    CREATE UNIQUE INDEX payment_methods_one_default ON payment_methods (organisation_id, provider) WHERE is_default;
  `);
}
