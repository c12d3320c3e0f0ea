import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Refunds that have failed after they had succeeded, with their credit notes, and those of payments for which nothing was given. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DO $$
    DECLARE known text;
    BEGIN
      SELECT conname INTO STRICT known FROM pg_constraint
      WHERE conrelid = 'refunds'::regclass AND contype = 'c' AND pg_get_constraintdef(oid) LIKE '%credit_note_id IS NOT NULL%';
      EXECUTE format('ALTER TABLE refunds DROP CONSTRAINT %I', known);
    END $$;
    ALTER TABLE refunds
      ALTER COLUMN invoice_id DROP NOT NULL,
      ADD CONSTRAINT refunds_credit_note CHECK (credit_note_id IS NULL OR state <> 'PENDING') NOT VALID;
    CREATE UNIQUE INDEX refunds_of_surplus ON refunds (payment_id) WHERE invoice_id IS NULL AND state <> 'FAILED';

    CREATE TABLE credit_note_voids (
      organisation_id text NOT NULL,
      credit_note_id uuid PRIMARY KEY REFERENCES credit_notes,
      voided_at timestamptz(3) NOT NULL
    );
  `);
  await tenantTable(knex, 'credit_note_voids', { privileges: ['select', 'insert'] });
}
