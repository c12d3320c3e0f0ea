import type { Knex } from '@platform-backend/postgres';

/** When the register of VAT IDs is to be asked next; null: at once. The index of the release before goes when that has gone. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE billing_details ADD COLUMN vat_check_due_at timestamptz(3);
    CREATE INDEX billing_details_vat_check_due ON billing_details (vat_check_due_at NULLS FIRST)
      WHERE vat_id_status IN ('VALID', 'PENDING', 'VERIFIED', 'INVALID');
  `);
}
