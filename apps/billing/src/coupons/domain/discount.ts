import { currencyOf } from '../../prices/domain/currency.ts';

/** What a redeemed coupon takes off the price of each cycle that begins while it lasts. */
export interface Discount {
  readonly redemptionId: string;
  readonly code: string;
  /** Of the price, 1 to 100; null: `amountOffMinor` is taken off. */
  readonly percentOff: number | null;
  /** At most the whole price. */
  readonly amountOffMinor: bigint | null;
  /** Of `amountOffMinor`: in another one nothing is taken off. */
  readonly currency: string | null;
  /** It is for the next cycle alone. */
  readonly isOnce: boolean;
  /** Cycles that begin then or later have the full price; null: it lasts for ever. */
  readonly endsAt: Date | null;
}

/** What is taken off a price, in minor units that can be paid; a part of one is the buyer's. */
export function discountOn(discount: Discount | null | undefined, priceMinor: bigint, currency: string): bigint {
  if (!discount) return 0n;
  const { percentOff, amountOffMinor } = discount;
  const { step } = currencyOf(currency);
  const inSteps = (parts: bigint, divisor: bigint) => ((parts + divisor * step - 1n) / (divisor * step)) * step;
  const amountOff = discount.currency === currency ? (amountOffMinor ?? 0n) : 0n;
  const off = percentOff === null ? inSteps(amountOff, 1n) : inSteps(priceMinor * BigInt(percentOff), 100n);
  return off < priceMinor ? off : priceMinor;
}

/** The discount of a cycle that begins then; null: none. */
export const discountAt = (discount: Discount | null | undefined, at: Date): Discount | null =>
  discount && (discount.endsAt === null || discount.endsAt > at) ? discount : null;
