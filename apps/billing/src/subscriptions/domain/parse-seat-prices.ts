import { currencyOf, isCurrency } from '../../prices/domain/currency.ts';
import type { RenewalCycle } from './paid-period.ts';
import type { SubscriptionTier } from './plan.ts';
import type { SeatPrices } from './seat-prices.ts';

const tiers = ['BASIC', 'TEAM'] as const;
const cycles = ['MONTHLY', 'YEARLY'] as const;

/** Reads seat prices from JSON (config/seat-prices.json). Throws one error that names everything wrong with it. */
export function parseSeatPrices(text: string): SeatPrices {
  const problems: string[] = [];
  const file = fieldsOf(JSON.parse(text));
  const { currency } = file;
  const known = typeof currency === 'string' && isCurrency(currency) ? currencyOf(currency) : null;
  if (!known) problems.push(`nothing can be paid in the currency ${String(currency)}`);
  const prices = fieldsOf(file['minor_units_per_seat']);
  const price = (tier: SubscriptionTier, cycle: RenewalCycle): bigint => {
    const value = fieldsOf(prices[tier])[cycle];
    if (Number.isSafeInteger(value) && (value as number) >= 0 && BigInt(value as number) % (known?.step ?? 1n) === 0n) {
      return BigInt(value as number);
    }
    problems.push(`the price of ${tier} ${cycle} is no whole number of minor units that can be paid`);
    return 0n;
  };
  const perSeat = Object.fromEntries(
    tiers.map((tier) => [tier, Object.fromEntries(cycles.map((cycle) => [cycle, price(tier, cycle)]))]),
  ) as unknown as SeatPrices['perSeat'];
  if (problems.length > 0) throw new Error(`The seat prices cannot be used: ${problems.join('; ')}.`);
  return { currency: String(currency), perSeat };
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
