import { grantToAppRole, type Knex } from '../../src/index.ts';

/** Belongs to no organisation. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('countries', (table) => {
    table.text('code').primary();
  });
  await grantToAppRole(knex, 'countries', ['select']);
}
