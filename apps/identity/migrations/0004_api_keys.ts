import { tenantTable, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('api_keys', (table) => {
    table.uuid('id').primary();
    table.text('organisation_id').notNullable();
    // A key acts for a membership and dies with it.
    table.uuid('member_id').notNullable();
    table.text('name').notNullable();
    table.text('prefix').notNullable();
    table.specificType('scopes', 'text[]').notNullable();
    table.timestamp('expires_at', { precision: 3 });
    table.timestamp('revoked_at', { precision: 3 });
    table.timestamp('last_used_at', { precision: 3 });
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table.unique(['organisation_id', 'id'], { indexName: 'api_keys_organisation_and_id' });
    table
      .foreign(['organisation_id', 'member_id'])
      .references(['organisation_id', 'id'])
      .inTable('members')
      .onDelete('CASCADE');
    table.index(['organisation_id', 'member_id']);
  });
  await knex.raw('CREATE INDEX api_keys_by_age ON api_keys (organisation_id, created_at, id) WHERE revoked_at IS NULL');
  await tenantTable(knex, 'api_keys', { privileges: ['select', 'insert', 'update'] });

  await knex.schema.createTable('api_key_secrets', (table) => {
    // SHA-256 of the whole key. The key itself is nowhere.
    table.binary('hash').primary();
    table.text('organisation_id').notNullable();
    table.uuid('api_key_id').notNullable();
    table.timestamp('valid_until', { precision: 3 });
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table
      .foreign(['organisation_id', 'api_key_id'])
      .references(['organisation_id', 'id'])
      .inTable('api_keys')
      .onDelete('CASCADE');
    table.index(['organisation_id', 'api_key_id']);
    table.check('octet_length(hash) = 32', {}, 'api_key_secrets_are_sha256');
  });
  await tenantTable(knex, 'api_key_secrets', {
    open: [{ column: 'hash', setting: 'app.api_key_hash', type: 'bytea' }],
  });
}
