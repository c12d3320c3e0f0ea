import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Payments of the sandbox that are disputed at a bank that there is not, so that it can be tried. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE sandbox_disputes (
      id text PRIMARY KEY,
      organisation_id text NOT NULL,
      payment_id text NOT NULL UNIQUE REFERENCES sandbox_payments,
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      reason text NOT NULL,
      state text NOT NULL CHECK (state IN ('OPEN', 'WON', 'LOST')),
      ends text NOT NULL CHECK (ends IN ('WON', 'LOST')),
      -- When billing is told next; null: all is told.
      next_report_at timestamptz(3)
    );
    CREATE INDEX sandbox_disputes_due ON sandbox_disputes (next_report_at) WHERE next_report_at IS NOT NULL;
  `);
  await tenantTable(knex, 'sandbox_disputes', {
    privileges: ['select', 'insert', 'update'],
    open: [{ setting: 'app.schedule', value: 'payments' }],
  });
}
