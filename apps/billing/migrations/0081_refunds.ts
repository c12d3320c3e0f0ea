import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Money that is given back, credit notes about it, and payments that a bank has taken back. */
export async function up(knex: Knex): Promise<void> {
  await createRefunds(knex);
  await createCreditNotes(knex);
  await createDisputes(knex);
  await knex.raw(`
    ALTER TABLE ledger_transactions
      DROP CONSTRAINT ledger_transactions_kind_check,
      ADD CONSTRAINT ledger_transactions_kind_check
        CHECK (kind IN ('GRANT', 'PURCHASE', 'RESERVE', 'SETTLE', 'RELEASE', 'EXPIRE', 'DEBIT', 'REFUND')) NOT VALID;
    ALTER TABLE ledger_entries
      DROP CONSTRAINT ledger_entries_account_check,
      ADD CONSTRAINT ledger_entries_account_check
        CHECK (account IN ('available', 'reserved', 'issued', 'consumed', 'expired', 'refunded')) NOT VALID;
  `);
}

async function createRefunds(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE refunds (
      -- The processor's idempotency key as well.
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      invoice_id uuid NOT NULL REFERENCES invoices,
      payment_id uuid NOT NULL REFERENCES payments,
      payment_reference text NOT NULL,
      state text NOT NULL CHECK (state IN ('PENDING', 'SUCCEEDED', 'FAILED')),
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      tax_minor bigint NOT NULL CHECK (tax_minor BETWEEN 0 AND amount_minor),
      currency text NOT NULL,
      reason text NOT NULL CHECK (reason IN ('REQUESTED_BY_CUSTOMER', 'DUPLICATE', 'GOODWILL')),
      memo text NOT NULL,
      -- Taken from what was bought when it began, and given again when it fails.
      credits_micros bigint NOT NULL CHECK (credits_micros >= 0),
      credits_expire_at timestamptz(3),
      balance_minor bigint NOT NULL CHECK (balance_minor >= 0),
      reference text,
      failure text CHECK ((failure IS NOT NULL) = (state = 'FAILED')),
      credit_note_id uuid CHECK ((credit_note_id IS NOT NULL) = (state = 'SUCCEEDED')),
      requested_by jsonb NOT NULL,
      request_id text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      -- When the schedule looks at it again; null: it is over.
      next_look_at timestamptz(3) CHECK ((next_look_at IS NULL) = (state <> 'PENDING'))
    );
    CREATE INDEX refunds_by_age ON refunds (organisation_id, created_at, id);
    CREATE INDEX refunds_of_invoices ON refunds (organisation_id, invoice_id);
    CREATE INDEX refunds_of_payments ON refunds (organisation_id, payment_id);
    CREATE INDEX refunds_due ON refunds (next_look_at) WHERE next_look_at IS NOT NULL;

    -- What the sandbox has given back, as a processor would keep it.
    CREATE TABLE sandbox_refunds (
      id text PRIMARY KEY,
      organisation_id text NOT NULL,
      payment_id text NOT NULL REFERENCES sandbox_payments,
      idempotency_key text NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      created_at timestamptz(3) NOT NULL,
      UNIQUE (organisation_id, idempotency_key)
    );
    CREATE INDEX sandbox_refunds_of_payments ON sandbox_refunds (payment_id);
  `);
  await tenantTable(knex, 'refunds', {
    privileges: ['select', 'insert', 'update'],
    open: [{ setting: 'app.schedule', value: 'refunds' }],
  });
  await tenantTable(knex, 'sandbox_refunds', { privileges: ['select', 'insert'] });
}

async function createCreditNotes(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE credit_notes (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      number text NOT NULL UNIQUE,
      refund_id uuid NOT NULL UNIQUE REFERENCES refunds,
      invoice_id uuid NOT NULL REFERENCES invoices,
      lines jsonb NOT NULL,
      currency text NOT NULL,
      subtotal_minor bigint NOT NULL,
      tax_minor bigint NOT NULL,
      total_minor bigint NOT NULL CHECK (total_minor = subtotal_minor + tax_minor),
      created_at timestamptz(3) NOT NULL
    );
    CREATE INDEX credit_notes_by_age ON credit_notes (organisation_id, created_at, id);

    -- Of the issuer, and so of no organisation. A sequence would leave gaps behind transactions that were rolled back.
    CREATE TABLE credit_note_series (
      series text NOT NULL,
      year integer NOT NULL,
      count integer NOT NULL CHECK (count > 0),
      PRIMARY KEY (series, year)
    );
  `);
  // An issued credit note never changes: the service's role has no right to.
  await tenantTable(knex, 'credit_notes', { privileges: ['select', 'insert'] });
  await tenantTable(knex, 'credit_note_series', {
    column: 'series',
    privileges: ['select', 'insert', 'update'],
    open: [{ column: 'series', setting: 'app.credit_note_series', allow: 'all' }],
  });
}

async function createDisputes(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE disputes (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      -- The processor's name for it.
      reference text NOT NULL,
      payment_id uuid NOT NULL REFERENCES payments,
      invoice_id uuid REFERENCES invoices,
      state text NOT NULL CHECK (state IN ('OPEN', 'WON', 'LOST')),
      amount_minor bigint NOT NULL CHECK (amount_minor >= 0),
      currency text NOT NULL,
      reason text NOT NULL,
      credits_micros bigint NOT NULL CHECK (credits_micros >= 0),
      created_at timestamptz(3) NOT NULL,
      UNIQUE (organisation_id, reference)
    );
    CREATE INDEX disputes_by_age ON disputes (organisation_id, created_at, id);
  `);
  await tenantTable(knex, 'disputes', { privileges: ['select', 'insert', 'update'] });
}
