import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Null in these columns is what the release before writes: how a sale is taxed was not kept, and nothing was checked. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE credit_purchases ADD COLUMN taxed jsonb;
    ALTER TABLE subscription_changes ADD COLUMN taxed jsonb;
    ALTER TABLE invoices ADD COLUMN taxed jsonb;
    -- ISO 3166-1: where the card was issued.
    ALTER TABLE payment_methods ADD COLUMN country text;
    ALTER TABLE billing_details
      ADD COLUMN vat_id_status text
        CHECK (vat_id_status IN ('UNVERIFIED', 'VALID', 'PENDING', 'VERIFIED', 'INVALID')),
      ADD COLUMN vat_id_country text,
      ADD COLUMN vat_consultation text,
      ADD COLUMN vat_checked_at timestamptz(3);
    CREATE INDEX billing_details_unchecked ON billing_details (vat_checked_at) WHERE vat_id_status IN ('VALID', 'PENDING');
    CREATE POLICY opened_by_app_schedule ON billing_details FOR SELECT
      USING (current_setting('app.schedule', true) = 'vat_ids');
  `);

  // Whom the seller has found to be exempt from tax.
  await knex.raw(`
    CREATE TABLE tax_exemptions (
      organisation_id text PRIMARY KEY,
      -- Stands on invoices: the law or the certificate by which the organisation is exempt.
      reason text NOT NULL,
      valid_from timestamptz(3) NOT NULL,
      -- Null: until it is taken back.
      valid_until timestamptz(3) CHECK (valid_until > valid_from)
    )
  `);
  await tenantTable(knex, 'tax_exemptions', { privileges: ['select', 'insert', 'update'] });
}
