import { tenantTable, type Knex } from '@platform-backend/postgres';

/**
 * What work has cost, once for each piece of work, as the services that did it have written down. Append-only, and kept: by it a
 * debit that comes again is known, however late. A debit is booked also when nothing is set aside for it any more, so
 * what is available may be less than nothing.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE credit_debits (
      organisation_id text NOT NULL,
      -- Chosen by the service, so it is unique for one organisation only.
      id uuid NOT NULL,
      transaction_id uuid NOT NULL,
      amount_micros bigint NOT NULL CHECK (amount_micros > 0),
      credit_class text NOT NULL CHECK (credit_class IN ('AI', 'INFRASTRUCTURE')),
      purpose text NOT NULL,
      work_id text NOT NULL,
      client_group_id uuid,
      api_key_id uuid,
      member_id text,
      -- What was set aside for it, whatever had become of that.
      reservation_id uuid,
      -- The service that did the work.
      service text NOT NULL,
      occurred_at timestamptz(3) NOT NULL,
      booked_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, id)
    );
    CREATE INDEX credit_debits_by_time ON credit_debits (organisation_id, occurred_at);
    ALTER TABLE ledger_transactions
      ADD COLUMN debit_id uuid,
      ADD COLUMN work_id text,
      DROP CONSTRAINT ledger_transactions_kind_check,
      ADD CONSTRAINT ledger_transactions_kind_check
        CHECK (kind IN ('GRANT', 'PURCHASE', 'RESERVE', 'SETTLE', 'RELEASE', 'EXPIRE', 'DEBIT')) NOT VALID;
    ALTER TABLE credit_accounts DROP CONSTRAINT credit_accounts_never_overdrawn;
  `);
  await tenantTable(knex, 'credit_debits', { privileges: ['select', 'insert'] });
}
