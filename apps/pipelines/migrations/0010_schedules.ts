import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Whoever fires finds what is due in all organisations; it works on each within that organisation alone. */
const due = { setting: 'app.schedules', value: 'due', allow: 'select' } as const;
const forget = { setting: 'app.schedules', value: 'forget', allow: 'all' } as const;

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('schedules', (table) => {
    table.text('owner_kind').notNullable().checkIn(['TASK_TEMPLATE', 'PIPELINE'], 'schedules_owner_kind');
    table.uuid('owner_id').notNullable();
    table.text('organisation_id').notNullable().index('schedules_by_organisation');
    table.text('cron').notNullable();
    table.text('time_zone').notNullable();
    table.timestamp('starts_at', { precision: 3 });
    table.text('catch_up').notNullable().checkIn(['LATEST', 'ALL', 'NONE'], 'schedules_catch_up');
    // Null: never again.
    table.timestamp('next_at', { precision: 3 });
    table.timestamp('look_at', { precision: 3 });
    table.primary(['owner_kind', 'owner_id']);
    table.check('(next_at IS NULL) = (look_at IS NULL)', {}, 'schedules_looked_at_while_due');
  });
  await tenantTable(knex, 'schedules', { open: [due] });
  await knex.raw('CREATE INDEX schedules_due ON schedules (look_at) WHERE look_at IS NOT NULL');

  await knex.schema.createTable('schedule_fires', (table) => {
    table.text('owner_kind').notNullable();
    table.uuid('owner_id').notNullable();
    table.timestamp('due_at', { precision: 3 }).notNullable();
    table.text('organisation_id').notNullable().index('schedule_fires_by_organisation');
    table.primary(['owner_kind', 'owner_id', 'due_at']);
  });
  await tenantTable(knex, 'schedule_fires', { open: [forget] });
  await knex.raw('CREATE INDEX schedule_fires_by_age ON schedule_fires (due_at)');
}
