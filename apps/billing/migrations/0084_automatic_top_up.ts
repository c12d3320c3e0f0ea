import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Credits that are bought by themselves when the balance is low. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE credit_purchases
      ADD COLUMN origin text NOT NULL DEFAULT 'MEMBER' CHECK (origin IN ('MEMBER', 'AUTOMATIC_TOP_UP'));
    CREATE INDEX credit_purchases_of_top_ups ON credit_purchases (organisation_id, created_at)
      WHERE origin = 'AUTOMATIC_TOP_UP';

    CREATE TABLE automatic_top_ups (
      organisation_id text PRIMARY KEY,
      state text NOT NULL CHECK (state IN ('OFF', 'ACTIVE', 'CAP_REACHED', 'STOPPED')),
      threshold_micros bigint NOT NULL CHECK (threshold_micros >= 0),
      credits integer NOT NULL CHECK (credits > 0),
      currency text NOT NULL,
      -- Of all top-ups of a month, with tax.
      monthly_cap_minor bigint NOT NULL CHECK (monthly_cap_minor > 0),
      stopped_code text,
      changed_at timestamptz(3) NOT NULL,
      resumes_at timestamptz(3),
      -- The purchase that is under way: there is one at a time.
      purchase_id uuid,
      CHECK ((state = 'STOPPED') = (stopped_code IS NOT NULL)),
      CHECK ((state = 'CAP_REACHED') = (resumes_at IS NOT NULL))
    );
  `);
  await tenantTable(knex, 'automatic_top_ups', { open: [{ setting: 'app.schedule', value: 'top_ups' }] });
  // Their round sees the thresholds that were crossed, and the purchases that are over.
  await knex.raw(`
    CREATE POLICY opened_to_top_ups ON balance_thresholds FOR SELECT
      USING (current_setting('app.schedule', true) = 'top_ups');
    CREATE POLICY opened_to_top_ups ON credit_purchases FOR SELECT
      USING (current_setting('app.schedule', true) = 'top_ups');
  `);
}
