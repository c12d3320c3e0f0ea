import { currencyOf, isCurrency } from '../../prices/domain/currency.ts';
import type { RenewalCycle } from './paid-period.ts';
import type { SubscriptionTier } from './plan.ts';
import type { SeatPrices } from './seat-prices.ts';
import type { TrialDays } from './trial.ts';

const tiers = ['BASIC', 'TEAM'] as const;
const cycles = ['MONTHLY', 'YEARLY'] as const;

/** What is sold of seats. */
export interface SeatOffer extends SeatPrices {
  readonly trialDays: TrialDays;
}

/** Days that a trial may last. */
export const maxTrialDays = 730;

const maxCreditsPerSeat = 1_000_000;

/** Reads seat prices from JSON (config/seat-prices.json). Throws one error that names everything wrong with it. */
export function parseSeatPrices(text: string): SeatOffer {
  const problems: string[] = [];
  const file = fieldsOf(JSON.parse(text));
  const { currency } = file;
  const known = typeof currency === 'string' && isCurrency(currency) ? currencyOf(currency) : null;
  if (!known) problems.push(`nothing can be paid in the currency ${String(currency)}`);
  const prices = fieldsOf(file['minor_units_per_seat']);
  const credits = fieldsOf(file['credits_per_seat']);
  const creditsOf = (tier: SubscriptionTier, cycle: RenewalCycle): bigint => {
    const value = fieldsOf(credits[tier])[cycle] ?? 0;
    if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= maxCreditsPerSeat)
      return BigInt(value as number);
    problems.push(`what comes with ${tier} ${cycle} is no whole number of credits up to ${maxCreditsPerSeat}`);
    return 0n;
  };
  const price = (tier: SubscriptionTier, cycle: RenewalCycle): bigint => {
    const value = fieldsOf(prices[tier])[cycle];
    if (Number.isSafeInteger(value) && (value as number) >= 0 && BigInt(value as number) % (known?.step ?? 1n) === 0n) {
      return BigInt(value as number);
    }
    problems.push(`the price of ${tier} ${cycle} is no whole number of minor units that can be paid`);
    return 0n;
  };
  const each = (read: (tier: SubscriptionTier, cycle: RenewalCycle) => bigint) =>
    Object.fromEntries(
      tiers.map((tier) => [tier, Object.fromEntries(cycles.map((cycle) => [cycle, read(tier, cycle)]))]),
    ) as unknown as SeatPrices['perSeat'];
  const [perSeat, creditsPerSeat] = [each(price), each(creditsOf)];
  const days = fieldsOf(file['trial_days']);
  const trialDays = (tier: SubscriptionTier): number => {
    const value = days[tier] ?? 0;
    if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= maxTrialDays)
      return value as number;
    problems.push(`a trial of ${tier} lasts no whole number of days up to ${maxTrialDays}`);
    return 0;
  };
  const trials = { BASIC: trialDays('BASIC'), TEAM: trialDays('TEAM') };
  if (problems.length > 0) throw new Error(`The seat prices cannot be used: ${problems.join('; ')}.`);
  return { currency: String(currency), perSeat, creditsPerSeat, trialDays: trials };
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
