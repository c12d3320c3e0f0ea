import type { ChangeTerms } from '../domain/change-plan.ts';
import { firstPeriod } from '../domain/paid-period.ts';
import type { PlanTerms } from '../domain/plan-terms.ts';
import type { Plan } from '../domain/plan.ts';
import type { SeatPrices } from '../domain/seat-prices.ts';
import type { Subscription } from '../domain/subscription.ts';

/** Parts for tests: only what a test is about needs to be said there. */
export const noon = new Date('2026-04-01T12:00:00.000Z');

export const later = (days: number, from = noon): Date => new Date(from.getTime() + days * 86_400_000);

export const prices: SeatPrices = {
  currency: 'EUR',
  perSeat: {
    BASIC: { MONTHLY: 1_000n, YEARLY: 10_000n },
    TEAM: { MONTHLY: 3_000n, YEARLY: 30_000n },
  },
  creditsPerSeat: {
    BASIC: { MONTHLY: 0n, YEARLY: 0n },
    TEAM: { MONTHLY: 30n, YEARLY: 360n },
  },
};

export const today: PlanTerms = {
  prices,
  taxed: { country: 'DE', treatment: 'STANDARD', basisPoints: 1_900n, evidence: null },
};

export const terms: ChangeTerms = {
  today,
  defaultCycle: 'MONTHLY',
  unpaid: null,
  newSubscriptionId: 'sub-1',
  trialDays: { BASIC: 0, TEAM: 14 },
};

export const plan = (more: Partial<Plan> = {}): Plan => ({
  tier: 'TEAM',
  seatCount: 10,
  renewalCycle: 'MONTHLY',
  ...more,
});

/** Ten TEAM seats, paid from `noon` for the thirty days of April. */
export function subscription(more: Partial<Subscription> = {}): Subscription {
  const period = more.period ?? firstPeriod(noon, more.plan?.renewalCycle ?? 'MONTHLY');
  return {
    id: 'sub-1',
    plan: plan(),
    status: 'ACTIVE',
    period,
    agreed: [{ ...today, cycles: period.cycles }],
    trial: null,
    pending: null,
    graceEndsAt: null,
    unpaidChangeId: null,
    creditMinor: 0n,
    nextActionAt: period.end,
    version: 2n,
    ...more,
  };
}
