import { tenantTable, type Knex } from '../../src/index.ts';

/** Append-only: the app role may neither change nor delete a visit. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('visits', (table) => {
    table.uuid('id').primary();
    table.text('organisation_id').notNullable();
    table.timestamp('created_at', { precision: 3 }).notNullable().defaultTo(knex.fn.now());
  });
  await tenantTable(knex, 'visits', { privileges: ['select', 'insert'] });
}
