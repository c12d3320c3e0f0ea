import { advisoryLock, bigintColumn, columns, type Database, type Knex } from '@platform-backend/postgres';
import { recordEvents } from '../../record-events.ts';
import type { Coupon, Redemption } from '../domain/coupon.ts';
import type { Coupons } from '../domain/coupons.ts';
import { promotionCodeNotFound } from '../domain/errors.ts';

interface CouponRow {
  code: string;
  redemptions: number;
  archived_at: Date | null;
  created_at: Date;
}

interface RedemptionRow {
  id: string;
  organisation_id: string;
  duration: string;
  redeemed_at: Date;
  used_at: Date | null;
}

const terms = {
  percentOff: 'percent_off',
  amountOffMinor: bigintColumn('amount_off_minor'),
  currency: 'currency',
  duration: 'duration',
  durationMonths: 'duration_months',
};

const couponColumns = columns<Coupon>({
  code: 'code',
  ...terms,
  redeemBy: 'redeem_by',
  maxRedemptions: 'max_redemptions',
  redemptions: 'redemptions',
  archivedAt: 'archived_at',
  createdAt: 'created_at',
});

const redemptionColumns = columns<Redemption>({
  id: 'id',
  code: 'code',
  ...terms,
  redeemedAt: 'redeemed_at',
  endsAt: 'ends_at',
  usedAt: 'used_at',
});

/** Opens all coupons to an operator, who belongs to no organisation. */
const operator = { 'app.operator': 'coupons' };

/** Coupons in PostgreSQL. */
export const couponsStore = (database: Database): Coupons => ({
  redemptions: (organisationId) => database.tenant(organisationId, (trx) => redemptionsIn(trx, organisationId)),

  redeem: (by, code, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      // Opens the one coupon whose code somebody knows; its row keeps everybody else who redeems it waiting.
      await trx.raw("SELECT set_config('app.coupon_code', ?, true)", [code]);
      const row = await trx<CouponRow>('coupons').where({ code }).forUpdate().first();
      if (!row) throw promotionCodeNotFound();
      await advisoryLock(trx, `redemption:${by.organisationId}`);
      const known = await redemptionsIn(trx, by.organisationId);
      const { redemption, event } = decide(couponColumns.read(row), known);
      await recordEvents(trx, by, [event]);
      const named = { organisation_id: by.organisationId };
      await trx('coupon_redemptions').insert({ ...redemptionColumns.write(redemption), ...named });
      await trx<CouponRow>('coupons').where({ code }).increment('redemptions', 1);
      return redemption;
    }),

  add: (coupon) =>
    database.system(operator, async (trx) => {
      const added = await trx('coupons').insert(couponColumns.write(coupon)).onConflict().ignore().returning('code');
      return added.length > 0;
    }),

  list: () =>
    database.system(operator, async (trx) =>
      (await trx<CouponRow>('coupons').orderBy('created_at', 'desc')).map(couponColumns.read),
    ),

  archive: (code, at) =>
    database.system(operator, async (trx) => {
      const archived = await trx<CouponRow>('coupons')
        .where({ code })
        .whereNull('archived_at')
        .update({ archived_at: at });
      return archived > 0;
    }),
});

async function redemptionsIn(trx: Knex.Transaction, organisationId: string): Promise<readonly Redemption[]> {
  const rows = await trx<RedemptionRow>('coupon_redemptions')
    .where({ organisation_id: organisationId })
    .orderBy('redeemed_at', 'desc');
  return rows.map(redemptionColumns.read);
}

/** Whether one that is for one cycle was used for one already. */
export async function isUsedUp(trx: Knex.Transaction, organisationId: string, id: string): Promise<boolean> {
  const used = trx<RedemptionRow>('coupon_redemptions')
    .where({ organisation_id: organisationId, id, duration: 'ONCE' })
    .whereNotNull('used_at');
  return (await used.first('id')) !== undefined;
}

/** Writes down that a cycle was sold with it. */
export async function useRedemption(
  trx: Knex.Transaction,
  organisationId: string,
  id: string,
  at: Date,
): Promise<void> {
  await trx<RedemptionRow>('coupon_redemptions')
    .where({ organisation_id: organisationId, id })
    .whereNull('used_at')
    .update({ used_at: at });
}

/** Gives back one that was for a cycle of which nothing came: it counts for the next one. */
export async function returnRedemption(trx: Knex.Transaction, organisationId: string, id: string): Promise<void> {
  await trx<RedemptionRow>('coupon_redemptions')
    .where({ organisation_id: organisationId, id, duration: 'ONCE' })
    .update({ used_at: null });
}
