import { tenantTable, type Knex } from '@platform-backend/postgres';

/** No foreign key to the organisation on purpose: what was done outlives that to which it was done. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('audit_entries', (table) => {
    table.uuid('id').primary();
    table.text('organisation_id').notNullable();
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table.text('actor_type').notNullable().checkIn(['user', 'api_key', 'service'], 'audit_entries_actor_type');
    table.text('actor_id').notNullable();
    table.text('actor_name').notNullable();
    table.text('action').notNullable();
    table.text('target_type').notNullable();
    table.text('target_id').notNullable();
    table.jsonb('before');
    table.jsonb('after');
    table.text('request_id').notNullable();
    table.index(['organisation_id', 'created_at', 'id'], 'audit_entries_by_age');
    table.index(['organisation_id', 'actor_id', 'created_at', 'id'], 'audit_entries_by_actor');
    table.index(['organisation_id', 'target_id', 'created_at', 'id'], 'audit_entries_by_target');
    table.index(['organisation_id', 'action', 'created_at', 'id'], 'audit_entries_by_action');
  });
  // Nobody can change or delete an entry: the app role has not got the right.
  await tenantTable(knex, 'audit_entries', { privileges: ['select', 'insert'] });
}
