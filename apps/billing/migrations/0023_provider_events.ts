import { tenantTable, type Knex } from '@platform-backend/postgres';

/** What payment providers have reported, so that a report that comes again has no second effect. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('provider_events', (table) => {
    table.text('organisation_id').notNullable();
    table.text('id').notNullable();
    table.text('type').notNullable();
    table.timestamp('reported_at', { precision: 3 }).notNullable();
    table.timestamp('handled_at', { precision: 3 }).notNullable();
    table.primary(['organisation_id', 'id']);
  });
  await tenantTable(knex, 'provider_events', { privileges: ['select', 'insert'] });

  await knex.schema.createTable('provider_payments', (table) => {
    table.text('organisation_id').notNullable();
    table.text('reference').notNullable();
    table.text('status').notNullable().checkIn(['declined', 'succeeded'], 'provider_payments_status');
    table.primary(['organisation_id', 'reference']);
  });
  await tenantTable(knex, 'provider_payments', { privileges: ['select', 'insert', 'update'] });
}
