import { discountAt, discountOn, type Discount } from '../../coupons/domain/discount.ts';
import type { SaleTax } from '../../prices/domain/sale-tax.ts';
import type { PaidPeriod } from './paid-period.ts';
import type { Plan } from './plan.ts';
import { cyclePrice, type SeatPrices } from './seat-prices.ts';

/** On what terms seats are sold: what they cost, and how that is taxed. */
export interface PlanTerms {
  readonly prices: SeatPrices;
  readonly taxed: SaleTax;
  /** What is taken off the price of a cycle; absent or null: nothing. */
  readonly discount?: Discount | null;
  /** It is tried for nothing. */
  readonly isTrial?: true;
}

/** The terms on which so many cycles of a period were bought, one after the other. */
export interface AgreedCycles extends PlanTerms {
  readonly cycles: number;
}

interface Agreed {
  readonly period: PaidPeriod;
  readonly agreed: readonly AgreedCycles[];
}

/** What was agreed for a period; today's terms for one that was paid before they were kept. */
export const agreedFor = ({ period, agreed }: Agreed, today: PlanTerms): readonly AgreedCycles[] =>
  agreed.length > 0 ? agreed : [{ ...today, cycles: period.cycles }];

/** What the first cycle of a period was agreed on: all that is changed within the period goes by it. */
export const firstAgreed = (of: Agreed, today: PlanTerms): PlanTerms => agreedFor(of, today)[0] ?? today;

/**
 * The terms of a cycle to come: today's, unless money is left over in a currency in which nothing is sold today. Then what
 * was agreed last holds on until that is used up, but for what was taken off. A discount counts if it lasts when the cycle begins,
 * which may be years from now.
 */
export function termsOfNextCycle(of: Agreed, today: PlanTerms, isLeftOver: boolean, begins: Date): PlanTerms {
  const last = of.agreed.at(-1);
  return last && isLeftOver && last.prices.currency !== today.prices.currency
    ? { prices: last.prices, taxed: last.taxed }
    : { ...today, discount: discountAt(today.discount, begins) };
}

/** With one more cycle on these terms. */
export function agreedWith(agreed: readonly AgreedCycles[], { prices, taxed, discount = null, isTrial }: PlanTerms) {
  const added: AgreedCycles = { prices, taxed, cycles: 1, ...(discount && { discount }), ...(isTrial && { isTrial }) };
  const last = agreed.at(-1);
  if (!last || !isSame(last, added)) return [...agreed, added];
  return [...agreed.slice(0, -1), { ...last, cycles: last.cycles + 1 }];
}

const isSame = (one: PlanTerms, other: PlanTerms): boolean =>
  one.taxed.country === other.taxed.country &&
  one.taxed.treatment === other.taxed.treatment &&
  one.taxed.basisPoints === other.taxed.basisPoints &&
  one.prices.currency === other.prices.currency &&
  one.isTrial === other.isTrial &&
  (one.discount?.redemptionId ?? null) === (other.discount?.redemptionId ?? null) &&
  pricesOf(one).every((price, at) => price === pricesOf(other)[at]);

const pricesOf = ({ prices: { perSeat, creditsPerSeat } }: PlanTerms): readonly bigint[] =>
  [perSeat.BASIC, perSeat.TEAM, creditsPerSeat.BASIC, creditsPerSeat.TEAM].flatMap(({ MONTHLY, YEARLY }) => [
    MONTHLY,
    YEARLY,
  ]);

/** What a plan costs for one cycle on these terms, before tax. */
export function cycleCost({ prices, discount, isTrial }: PlanTerms, plan: Plan): bigint {
  if (isTrial) return 0n;
  const price = cyclePrice(prices, plan);
  return price - discountOn(discount, price, prices.currency);
}

/** What a plan costs in each cycle of a period, counted from 0, by what was agreed for it. */
export function agreedPrices(agreed: readonly AgreedCycles[], plan: Plan): (cycle: number) => bigint {
  const prices = agreed.flatMap((terms) => Array.from({ length: terms.cycles }, () => cycleCost(terms, plan)));
  return (cycle) => prices[cycle] ?? 0n;
}
