import type { BillingEvent } from '../../events.ts';
import type { Discount } from './discount.ts';
import { discountRunning, promotionCodeExpired, promotionCodeUsed } from './errors.ts';

export type CouponDuration = 'ONCE' | 'REPEATING' | 'FOREVER';

/** What is taken off, of which one is null. */
interface CouponTerms {
  readonly percentOff: number | null;
  readonly amountOffMinor: bigint | null;
  readonly currency: string | null;
  readonly duration: CouponDuration;
  /** Null unless it is REPEATING. */
  readonly durationMonths: number | null;
}

/** What an operator offers: whoever knows the code redeems it. */
export interface Coupon extends CouponTerms {
  /** In capitals. */
  readonly code: string;
  readonly redeemBy: Date | null;
  readonly maxRedemptions: number | null;
  readonly redemptions: number;
  readonly archivedAt: Date | null;
  readonly createdAt: Date;
}

/** That an organisation has redeemed a coupon, with the terms that it had then. */
export interface Redemption extends CouponTerms {
  readonly id: string;
  readonly code: string;
  readonly redeemedAt: Date;
  /** Cycles that begin then or later have the full price; null: it lasts for ever, or until it is used. */
  readonly endsAt: Date | null;
  /** Of one that is for one cycle: when that was bought. */
  readonly usedAt: Date | null;
}

export type RedemptionState = 'ACTIVE' | 'USED' | 'ENDED';

export function stateOf({ duration, endsAt, usedAt }: Redemption, at: Date): RedemptionState {
  if (duration === 'ONCE' && usedAt !== null) return 'USED';
  return endsAt !== null && endsAt <= at ? 'ENDED' : 'ACTIVE';
}

/** Codes are told over the telephone and typed by hand. */
export const normalisedCode = (code: string): string => code.trim().toUpperCase();

/** CONFLICT: it can no longer be redeemed, the organisation has redeemed it, or another discount of it still runs. */
export function redeem(
  coupon: Coupon,
  known: readonly Redemption[],
  id: string,
  at: Date,
): { readonly redemption: Redemption; readonly event: BillingEvent } {
  if (known.some(({ code }) => code === coupon.code)) throw promotionCodeUsed();
  const isFull = coupon.maxRedemptions !== null && coupon.redemptions >= coupon.maxRedemptions;
  const isLate = coupon.redeemBy !== null && coupon.redeemBy <= at;
  if (isFull || isLate || coupon.archivedAt !== null) throw promotionCodeExpired();
  if (known.some((one) => stateOf(one, at) === 'ACTIVE')) throw discountRunning();
  const { code, percentOff, amountOffMinor, currency, duration, durationMonths } = coupon;
  const endsAt = durationMonths === null ? null : monthsAfter(at, durationMonths);
  const redemption = {
    ...{ id, code, percentOff, amountOffMinor, currency, duration, durationMonths, endsAt },
    ...{ redeemedAt: at, usedAt: null },
  };
  const data = {
    redemption_id: id,
    code,
    percent_off: percentOff,
    amount_off_minor: amountOffMinor?.toString() ?? null,
    currency,
    duration,
    ends_at: endsAt?.toISOString() ?? null,
  };
  const change = { before: null, after: data };
  return { redemption, event: { name: 'coupon.redeemed', subject: id, at, data, change } };
}

/** The discount that an organisation has at a moment; null: none. */
export function discountOf(known: readonly Redemption[], at: Date): Discount | null {
  const redemption = known.find((one) => stateOf(one, at) === 'ACTIVE');
  if (!redemption) return null;
  const { id: redemptionId, code, percentOff, amountOffMinor, currency, duration, endsAt } = redemption;
  return { redemptionId, code, percentOff, amountOffMinor, currency, isOnce: duration === 'ONCE', endsAt };
}

/** The same day some months later, or the last one of a month that has no such day. */
function monthsAfter(at: Date, months: number): Date {
  const end = new Date(at);
  end.setUTCDate(1);
  end.setUTCMonth(end.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  end.setUTCDate(Math.min(at.getUTCDate(), lastDay));
  return end;
}
