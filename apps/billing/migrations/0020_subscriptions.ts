import { tenantTable, type Knex } from '@platform-backend/postgres';

/** The schedule finds what is due in all organisations; it works on each within that organisation alone. */
const schedule = { setting: 'app.schedule', value: 'subscriptions', allow: 'select' } as const;

export async function up(knex: Knex): Promise<void> {
  await createSubscriptions(knex);
  await createChanges(knex);
}

async function createSubscriptions(knex: Knex): Promise<void> {
  await knex.schema.createTable('subscriptions', (table) => {
    table.text('organisation_id').primary();
    table.uuid('id').notNullable().unique();
    table.text('tier').notNullable().checkIn(['BASIC', 'TEAM'], 'subscriptions_tier');
    table.integer('seat_count').notNullable().checkBetween([1, 10_000], 'subscriptions_seats');
    table.text('renewal_cycle').notNullable().checkIn(['MONTHLY', 'YEARLY'], 'subscriptions_cycle');
    table.text('status').notNullable().checkIn(['ACTIVE', 'PAST_DUE', 'CANCELING', 'ENDED'], 'subscriptions_status');
    table.timestamp('period_start', { precision: 3 }).notNullable();
    table.timestamp('period_end', { precision: 3 }).notNullable();
    table.integer('period_cycles').notNullable().checkPositive('subscriptions_cycles');
    table.integer('anchor_day').notNullable().checkBetween([1, 31], 'subscriptions_anchor');
    table.text('pending_tier').checkIn(['BASIC', 'TEAM'], 'subscriptions_pending_tier');
    table.integer('pending_seat_count');
    table.text('pending_renewal_cycle');
    table.timestamp('grace_ends_at', { precision: 3 });
    table.bigInteger('credit_minor').notNullable();
    table.timestamp('next_action_at', { precision: 3 });
    table.bigInteger('version').notNullable();
    table.check('credit_minor >= 0', {}, 'subscriptions_credit');
    table.check("(status = 'ENDED') = (next_action_at IS NULL)", {}, 'subscriptions_scheduled_unless_ended');
    table.check("(status = 'PAST_DUE') = (grace_ends_at IS NOT NULL)", {}, 'subscriptions_grace_while_past_due');
  });
  await tenantTable(knex, 'subscriptions', { privileges: ['select', 'insert', 'update'], open: [schedule] });
  await knex.raw('CREATE INDEX subscriptions_due ON subscriptions (next_action_at) WHERE next_action_at IS NOT NULL');
}

async function createChanges(knex: Knex): Promise<void> {
  await knex.schema.createTable('subscription_changes', (table) => {
    table.uuid('id').primary();
    table.text('organisation_id').notNullable();
    table.text('kind').notNullable();
    table
      .text('state')
      .notNullable()
      .checkIn(['checking', 'charging', 'applying', 'done'], 'subscription_changes_state');
    table.text('outcome');
    // Subscriptions as they were and as they shall be, and the lines of the bill.
    table.jsonb('plan').notNullable();
    table.integer('most_active_members');
    table.text('currency').notNullable();
    table.text('country').notNullable();
    table.bigInteger('subtotal_minor').notNullable();
    table.bigInteger('tax_minor').notNullable();
    table.bigInteger('total_minor').notNullable();
    table.bigInteger('check_version').notNullable();
    table.bigInteger('final_version').notNullable();
    table.text('processor_reference');
    table.text('refusal_code');
    table.text('refusal_message');
    table.jsonb('started_by').notNullable();
    table.text('request_id').notNullable();
    table.timestamp('started_at', { precision: 3 }).notNullable();
    table.timestamp('lease_until', { precision: 3 }).notNullable();
    table.timestamp('finished_at', { precision: 3 });
    table.unique(['organisation_id', 'final_version'], { indexName: 'subscription_changes_versions' });
    table.check('subtotal_minor + tax_minor = total_minor', {}, 'subscription_changes_total');
    table.check("(state = 'done') = (finished_at IS NOT NULL)", {}, 'subscription_changes_finished');
  });
  await tenantTable(knex, 'subscription_changes', { privileges: ['select', 'insert', 'update'], open: [schedule] });
  await knex.raw(`
    CREATE UNIQUE INDEX subscription_changes_one_at_a_time ON subscription_changes (organisation_id)
      WHERE state <> 'done';
    CREATE INDEX subscription_changes_abandoned ON subscription_changes (lease_until) WHERE state <> 'done';
  `);
}
