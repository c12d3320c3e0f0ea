import { paidFarAhead } from './errors.ts';
import { extendedBy, firstPeriod, periodAfter, valueLeft, type PaidPeriod, type RenewalCycle } from './paid-period.ts';
import { planned, type PlannedChange } from './planned-change.ts';
import { cyclePrice, type SeatPrices } from './seat-prices.ts';
import { billOf, nothingToPay, type BillLine } from './subscription-bill.ts';
import { isRunning, type Plan, type Subscription, type SubscriptionTier } from './subscription.ts';

export interface PlanInput {
  readonly tier: SubscriptionTier;
  readonly seatCount: number;
  /** Absent: the present one. */
  readonly renewalCycle?: RenewalCycle;
}

/** What deciding needs beside the subscription itself. */
export interface ChangeTerms {
  readonly prices: SeatPrices;
  /** Of a subscription that has none yet, when the buyer asks for no other. */
  readonly defaultCycle: RenewalCycle;
  /** The id of a first subscription. */
  readonly newSubscriptionId: string;
}

/** How far ahead cycles can be paid for. */
export const maxYearsAhead = 5;

/**
 * Buys, upgrades, downgrades or renews (D27). TEAM to BASIC counts from the end of the period; everything else at
 * once. The tier it has already renews by one cycle. What is unused of the old plan counts against the price of the
 * new one. A change takes a cancellation back. CONFLICT: it would be paid for more than five years ahead.
 */
export function changePlan(
  current: Subscription | null,
  wanted: PlanInput,
  terms: ChangeTerms,
  at: Date,
): PlannedChange {
  const plan: Plan = {
    tier: wanted.tier,
    seatCount: wanted.seatCount,
    renewalCycle: wanted.renewalCycle ?? current?.plan.renewalCycle ?? terms.defaultCycle,
  };
  if (!isRunning(current)) return begin(current, plan, terms, at);
  if (current.plan.tier === 'TEAM' && plan.tier === 'BASIC') return downgrade(current, plan);
  if (current.plan.renewalCycle !== plan.renewalCycle) return changeCycle(current, plan, terms, at);
  if (current.plan.tier !== plan.tier) return upgrade(current, plan, terms, at);
  return renewOrChangeSeats(current, plan, terms, at);
}

/** The first period, the first after an end, or the one that was not paid for yet. */
function begin(current: Subscription | null, plan: Plan, { prices, newSubscriptionId }: ChangeTerms, at: Date) {
  const pastDue = current?.status === 'PAST_DUE';
  const period = pastDue ? periodAfter(current.period, plan.renewalCycle) : firstPeriod(at, plan.renewalCycle);
  const bill = billOf([planLine(plan, period, cyclePrice(prices, plan))], current?.creditMinor ?? 0n);
  const id = current?.id ?? newSubscriptionId;
  return planned(pastDue ? 'renewed' : 'started', current, running({ id, plan, period }), bill);
}

function downgrade(current: Subscription, plan: Plan): PlannedChange {
  const next: Subscription = { ...current, status: 'ACTIVE', pending: plan };
  return planned('downgrade_scheduled', current, next, nothingToPay(current.creditMinor));
}

function upgrade(current: Subscription, plan: Plan, { prices }: ChangeTerms, at: Date): PlannedChange {
  const { id, period } = current;
  const bill = billOf(prorated(current, plan, prices, at), current.creditMinor);
  return planned('upgraded', current, running({ id, plan, period }), bill);
}

/** A cycle of another length begins at once; what is left of the old one counts against its price. */
function changeCycle(current: Subscription, plan: Plan, { prices }: ChangeTerms, at: Date): PlannedChange {
  const period = firstPeriod(at, plan.renewalCycle);
  const lines = [unusedLine(current, prices, at), planLine(plan, period, cyclePrice(prices, plan))];
  const kind = current.plan.tier === plan.tier ? 'renewed' : 'upgraded';
  return planned(kind, current, running({ id: current.id, plan, period }), billOf(lines, current.creditMinor));
}

function renewOrChangeSeats(current: Subscription, plan: Plan, { prices }: ChangeTerms, at: Date): PlannedChange {
  const period = extendedBy(current.period, plan.renewalCycle);
  const limit = new Date(at);
  limit.setUTCFullYear(at.getUTCFullYear() + maxYearsAhead);
  if (period.end > limit) {
    throw paidFarAhead({ years: maxYearsAhead });
  }
  const added: PaidPeriod = { ...period, start: current.period.end, cycles: 1 };
  const seatsChanged = current.plan.seatCount !== plan.seatCount;
  const lines = [
    ...(seatsChanged ? prorated(current, plan, prices, at) : []),
    planLine(plan, added, cyclePrice(prices, plan)),
  ];
  return planned('renewed', current, running({ id: current.id, plan, period }), billOf(lines, current.creditMinor));
}

const running = ({ id, plan, period }: Pick<Subscription, 'id' | 'plan' | 'period'>): Subscription => ({
  id,
  plan,
  status: 'ACTIVE',
  period,
  pending: null,
  graceEndsAt: null,
  creditMinor: 0n,
  nextActionAt: period.end,
  version: 0n,
});

/** Another plan for the rest of the same period. */
function prorated(current: Subscription, plan: Plan, prices: SeatPrices, at: Date): BillLine[] {
  const amountMinor = valueLeft(cyclePrice(prices, plan), current.period, plan.renewalCycle, at);
  const description = `${planName(plan)}, from ${day(at)} to ${day(current.period.end)}`;
  return [unusedLine(current, prices, at), { description, quantity: plan.seatCount, amountMinor }];
}

function unusedLine({ plan, period }: Subscription, prices: SeatPrices, at: Date): BillLine {
  const amountMinor = -valueLeft(cyclePrice(prices, plan), period, plan.renewalCycle, at);
  return { description: `Unused time of ${planName(plan)}, from ${day(at)}`, quantity: plan.seatCount, amountMinor };
}

/** One cycle of a plan at its full price. */
export const planLine = (plan: Plan, { start, end }: PaidPeriod, amountMinor: bigint): BillLine => ({
  description: `${planName(plan)}, from ${day(start)} to ${day(end)}`,
  quantity: plan.seatCount,
  amountMinor,
});

const planName = ({ tier, seatCount }: Plan): string => `${tier}, ${seatCount} ${seatCount === 1 ? 'seat' : 'seats'}`;

const day = (date: Date): string => date.toISOString().slice(0, 10);
