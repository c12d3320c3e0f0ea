import type { Knex } from '@platform-backend/postgres';

/** An invoice that is void is taken back by a credit note without a refund, once. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE credit_notes ALTER COLUMN refund_id DROP NOT NULL;
    CREATE UNIQUE INDEX credit_notes_of_void_invoices ON credit_notes (invoice_id) WHERE refund_id IS NULL;
  `);
}
