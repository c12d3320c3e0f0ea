import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Coupons that operators offer, and what organisations have redeemed of them. */
export async function up(knex: Knex): Promise<void> {
  const terms = `
      percent_off integer CHECK (percent_off BETWEEN 1 AND 100),
      amount_off_minor bigint CHECK (amount_off_minor > 0),
      currency text,
      duration text NOT NULL CHECK (duration IN ('ONCE', 'REPEATING', 'FOREVER')),
      duration_months integer CHECK (duration_months > 0),
      CHECK ((percent_off IS NULL) <> (amount_off_minor IS NULL)),
      CHECK ((amount_off_minor IS NULL) = (currency IS NULL)),
      CHECK ((duration = 'REPEATING') = (duration_months IS NOT NULL))`;
  await knex.raw(`
    CREATE TABLE coupons (
      code text PRIMARY KEY,
      ${terms},
      redeem_by timestamptz(3),
      max_redemptions integer CHECK (max_redemptions > 0),
      redemptions integer NOT NULL CHECK (redemptions >= 0),
      archived_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      CHECK (redemptions <= max_redemptions)
    );
    CREATE TABLE coupon_redemptions (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      code text NOT NULL,
      ${terms},
      redeemed_at timestamptz(3) NOT NULL,
      ends_at timestamptz(3),
      used_at timestamptz(3),
      CONSTRAINT coupon_redemptions_once UNIQUE (organisation_id, code)
    );
  `);
  // They belong to nobody: a transaction sees the one whose code it says.
  await tenantTable(knex, 'coupons', {
    column: 'code',
    privileges: ['select', 'insert', 'update'],
    open: [
      { column: 'code', setting: 'app.coupon_code', allow: 'all' },
      { setting: 'app.operator', value: 'coupons', allow: 'all' },
    ],
  });
  await tenantTable(knex, 'coupon_redemptions', { privileges: ['select', 'insert', 'update'] });
}
