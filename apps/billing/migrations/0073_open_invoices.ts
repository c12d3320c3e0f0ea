import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Invoices that were not paid when they were issued. What an invoice says still never changes; whether it is paid does. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE invoices ALTER COLUMN paid_at DROP NOT NULL;
    CREATE TABLE invoice_states (
      organisation_id text NOT NULL,
      invoice_id uuid NOT NULL REFERENCES invoices (id),
      status text NOT NULL CHECK (status IN ('OPEN', 'PAID', 'VOID')),
      -- How often its payment was refused.
      attempt_count integer NOT NULL CHECK (attempt_count >= 0),
      next_attempt_at timestamptz(3),
      paid_at timestamptz(3),
      PRIMARY KEY (organisation_id, invoice_id),
      CHECK ((status = 'PAID') = (paid_at IS NOT NULL)),
      CHECK (status = 'OPEN' OR next_attempt_at IS NULL)
    );
    -- The renewal that was refused, whose invoice is open.
    ALTER TABLE subscriptions ADD COLUMN unpaid_change_id uuid;
  `);
  await tenantTable(knex, 'invoice_states', { privileges: ['select', 'insert', 'update'] });
}
