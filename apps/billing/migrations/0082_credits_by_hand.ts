import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Credits that are given as a present, and corrections that take some away. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE credit_grants
      DROP CONSTRAINT credit_grants_kind_check,
      ADD CONSTRAINT credit_grants_kind_check
        CHECK (kind IN ('WELCOME', 'PLAN', 'PURCHASE', 'ADJUSTMENT', 'PROMOTIONAL')) NOT VALID;
    ALTER TABLE ledger_transactions
      DROP CONSTRAINT ledger_transactions_kind_check,
      ADD CONSTRAINT ledger_transactions_kind_check CHECK (kind IN
        ('GRANT', 'PURCHASE', 'RESERVE', 'SETTLE', 'RELEASE', 'EXPIRE', 'DEBIT', 'REFUND', 'ADJUST')) NOT VALID;

    -- Nothing is taken away twice for the same.
    CREATE TABLE credit_adjustments (
      organisation_id text NOT NULL,
      source text NOT NULL,
      adjusted_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organisation_id, source)
    );
  `);
  await tenantTable(knex, 'credit_adjustments', { privileges: ['select', 'insert'] });
}
