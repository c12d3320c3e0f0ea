import { seatPriceListed, type ListedPrice } from '../../prices/domain/price-list.ts';
import type { RenewalCycle } from './paid-period.ts';
import type { Plan, SubscriptionTier } from './plan.ts';

/** What one seat costs for one cycle, in minor units of the currency. */
export interface SeatPrices {
  /** ISO 4217. */
  readonly currency: string;
  readonly perSeat: Readonly<Record<SubscriptionTier, Readonly<Record<RenewalCycle, bigint>>>>;
  /** Whole credits that come with a seat in each cycle. */
  readonly creditsPerSeat: Readonly<Record<SubscriptionTier, Readonly<Record<RenewalCycle, bigint>>>>;
}

/** Nothing comes with any seat. */
export const noCredits: SeatPrices['creditsPerSeat'] = {
  BASIC: { MONTHLY: 0n, YEARLY: 0n },
  TEAM: { MONTHLY: 0n, YEARLY: 0n },
};

/** What a plan costs for one cycle, before tax. */
export const cyclePrice = ({ perSeat }: SeatPrices, { tier, seatCount, renewalCycle }: Plan): bigint =>
  perSeat[tier][renewalCycle] * BigInt(seatCount);

/** Each price of a seat, as it is listed. */
export const seatPriceList = (
  { currency, perSeat, creditsPerSeat }: SeatPrices,
  trialDays: Readonly<Record<SubscriptionTier, number>>,
): readonly ListedPrice[] =>
  (['BASIC', 'TEAM'] as const).flatMap((tier) =>
    (['MONTHLY', 'YEARLY'] as const).map((renewalCycle) =>
      seatPriceListed(currency, {
        ...{ tier, renewalCycle, unitAmountMinor: perSeat[tier][renewalCycle] },
        ...{ trialDays: trialDays[tier], includedCredits: creditsPerSeat[tier][renewalCycle] },
      }),
    ),
  );
