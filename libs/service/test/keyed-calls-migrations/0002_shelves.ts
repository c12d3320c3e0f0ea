import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE TABLE shelves (organisation_id text NOT NULL, name text NOT NULL)');
  await tenantTable(knex, 'shelves');
}
