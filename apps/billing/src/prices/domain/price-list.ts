import type { CreditPriceTier, PriceBook } from './price-book.ts';

/** Something that is sold, at its price before tax. */
export interface ListedPrice {
  /** What it is the price of; it stays when the price changes. */
  readonly id: string;
  /** Another one as soon as the price is another one. */
  readonly version: string;
  readonly currency: string;
  /** Null for seats. */
  readonly tiers: readonly CreditPriceTier[] | null;
  /** Null for credits. */
  readonly seat: {
    readonly tier: 'BASIC' | 'TEAM';
    readonly renewalCycle: 'MONTHLY' | 'YEARLY';
    readonly unitAmountMinor: bigint;
    /** 0: no trial is offered. */
    readonly trialDays: number;
    /** Whole credits that come with each cycle. */
    readonly includedCredits: bigint;
  } | null;
}

/** What credits are sold at, currency by currency. */
export const creditPriceList = ({ creditPrices }: PriceBook): readonly ListedPrice[] =>
  [...creditPrices].map(([currency, tiers]) => ({
    ...{ id: `credits:${currency}`, currency, tiers, seat: null },
    version: versionOf(tiers.flatMap(({ fromCredits, minorUnitsPerThousand }) => [fromCredits, minorUnitsPerThousand])),
  }));

/** The price of a seat. */
export function seatPriceListed(currency: string, seat: NonNullable<ListedPrice['seat']>): ListedPrice {
  const { unitAmountMinor: amount, includedCredits: included } = seat;
  const id = `seat:${seat.tier}:${seat.renewalCycle}:${currency}`;
  return { id, currency, tiers: null, seat, version: versionOf(included > 0n ? [amount, included] : [amount]) };
}

/** The same for the same amounts, whoever reckons it when. */
const versionOf = (amounts: readonly bigint[]): string => amounts.join('-');
