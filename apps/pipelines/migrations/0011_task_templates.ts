import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Workers find what is due in all organisations; they work on each within that organisation alone. */
const due = { setting: 'app.tasks', value: 'due', allow: 'select' } as const;
const forget = { setting: 'app.forgotten_tasks', value: 'finished', allow: 'all' } as const;

export async function up(knex: Knex): Promise<void> {
  await createTemplates(knex);
  await createExecutions(knex);
  await createNotifications(knex);
}

async function createTemplates(knex: Knex): Promise<void> {
  await knex.schema.createTable('task_templates', (table) => {
    table.uuid('id').primary();
    table.text('organisation_id').notNullable();
    table.text('name').notNullable();
    table.text('instruction').notNullable();
    table.text('assignee').notNullable();
    table.jsonb('entities').notNullable();
    table.jsonb('notification_settings').notNullable();
    table.text('cron_schedule');
    table.boolean('schedule_enabled').notNullable();
    table.timestamp('schedule_start_at', { precision: 3 });
    table.text('time_zone').notNullable();
    table.text('overlap').notNullable().checkIn(['SKIP', 'ALLOW'], 'task_templates_overlap');
    table.text('catch_up').notNullable().checkIn(['LATEST', 'ALL', 'NONE'], 'task_templates_catch_up');
    table.uuid('member_id').notNullable();
    table.text('paused_reason');
    table.integer('failures_in_row').notNullable();
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table.timestamp('updated_at', { precision: 3 }).notNullable();
    table.index(['organisation_id', 'created_at', 'id'], 'task_templates_by_age');
    table.check('NOT schedule_enabled OR cron_schedule IS NOT NULL', {}, 'task_templates_enabled_with_schedule');
  });
  await tenantTable(knex, 'task_templates');
}

async function createExecutions(knex: Knex): Promise<void> {
  await knex.schema.createTable('task_executions', (table) => {
    table.uuid('id').primary();
    table.text('organisation_id').notNullable();
    table.uuid('task_template_id').notNullable().references('task_templates.id').onDelete('CASCADE');
    table
      .text('status')
      .notNullable()
      .checkIn(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'SKIPPED'], 'task_executions_status');
    table.text('trigger').notNullable().checkIn(['SCHEDULE', 'MANUAL'], 'task_executions_trigger');
    table.timestamp('due_at', { precision: 3 });
    // What the template said when it began.
    table.jsonb('task').notNullable();
    table.integer('attempts').notNullable();
    table.uuid('turn_id');
    table.text('conversation_id');
    table.text('message_id');
    table.text('answer').notNullable();
    table.text('error');
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table.timestamp('started_at', { precision: 3 });
    table.timestamp('finished_at', { precision: 3 });
    table.timestamp('look_at', { precision: 3 });
    table.index(['organisation_id', 'task_template_id', 'created_at', 'id'], 'task_executions_by_age');
    table.unique(['task_template_id', 'due_at'], { indexName: 'task_executions_once_a_time' });
    table.check('(look_at IS NULL) = (finished_at IS NOT NULL)', {}, 'task_executions_looked_at_until_finished');
  });
  await tenantTable(knex, 'task_executions', { open: [due, forget] });
  await knex.raw(`
    CREATE INDEX task_executions_due ON task_executions (look_at) WHERE look_at IS NOT NULL;
    CREATE INDEX task_executions_by_end ON task_executions (finished_at) WHERE finished_at IS NOT NULL;
  `);
}

async function createNotifications(knex: Knex): Promise<void> {
  await knex.schema.createTable('task_notifications', (table) => {
    table.uuid('id').primary();
    table.text('organisation_id').notNullable().index('task_notifications_by_organisation');
    table.uuid('execution_id').notNullable().references('task_executions.id').onDelete('CASCADE');
    table.text('method').notNullable().checkIn(['EMAIL', 'SLACK'], 'task_notifications_method');
    table.text('recipient').notNullable();
    table.text('title').notNullable();
    table.text('text').notNullable();
    table.text('status').notNullable().checkIn(['PENDING', 'SENT', 'FAILED'], 'task_notifications_status');
    table.jsonb('attempts').notNullable();
    table.timestamp('look_at', { precision: 3 });
    table.timestamp('created_at', { precision: 3 }).notNullable();
    table.unique(['execution_id', 'method', 'recipient'], { indexName: 'task_notifications_once' });
  });
  await tenantTable(knex, 'task_notifications', { open: [due] });
  await knex.raw('CREATE INDEX task_notifications_due ON task_notifications (look_at) WHERE look_at IS NOT NULL');
}
