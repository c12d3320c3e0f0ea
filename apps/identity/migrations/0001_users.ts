import { grantToAppRole, type Knex } from '@platform-backend/postgres';

/**
 * Users belong to no organisation: one person may be a member of many. Their own policies come with the members
 * (0002), through whom they can be seen.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('users', (table) => {
    table.uuid('id').primary();
    table.text('issuer').notNullable();
    table.text('subject').notNullable();
    table.text('name').notNullable();
    table.text('email').notNullable();
    table.boolean('email_verified').notNullable();
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table.timestamp('updated_at', { precision: 3 }).notNullable();
    table.unique(['issuer', 'subject'], { indexName: 'users_issuer_subject' });
  });
  await grantToAppRole(knex, 'users', ['select', 'insert', 'update']);
}
