import { microsPerCredit } from '../../credits/domain/credits.ts';
import { cyclesOf, shareLeft } from './paid-period.ts';
import type { AgreedCycles, PlanTerms } from './plan-terms.ts';
import type { Plan } from './plan.ts';
import type { SubscriptionChange } from './subscription-change.ts';
import { isRunning, type Subscription } from './subscription.ts';

/** Credits that come with a plan, once for their source. */
export interface PlanCredits {
  readonly source: string;
  /** In micros. */
  readonly amount: bigint;
  readonly expiresAt: Date;
}

/** What a moment brings of credits. */
export interface PlanCreditsDue {
  readonly granted: readonly PlanCredits[];
  /** Taken back of what came with a cycle of which the rest was given back. */
  readonly takenBack: Omit<PlanCredits, 'expiresAt'> | null;
  /** When the next cycle of the paid period begins; null: in none that is paid for. */
  readonly nextAt: Date | null;
}

interface Cycle {
  /** Among those of its period, from 0. */
  readonly index: number;
  readonly start: Date;
  readonly end: Date;
  readonly terms: AgreedCycles;
}

/** Credits that come with each cycle of a plan on these terms, in micros. A trial brings none. */
export const cycleCredits = ({ prices, isTrial }: PlanTerms, { tier, seatCount, renewalCycle }: Plan): bigint =>
  isTrial ? 0n : prices.creditsPerSeat[tier][renewalCycle] * BigInt(seatCount) * microsPerCredit;

/** Of the plan that comes with the next cycles that are paid for, in micros. */
export function shownCredits({ plan, agreed }: Pick<Subscription, 'plan' | 'agreed'>): bigint {
  const last = agreed.at(-1);
  return last ? cycleCredits({ prices: last.prices, taxed: last.taxed }, plan) : 0n;
}

/** What comes with a cycle: each is sold once. */
const sourceOfCycle = ({ id }: Pick<Subscription, 'id'>, { start, end }: Pick<Cycle, 'start' | 'end'>): string =>
  `plan:${id}:${start.toISOString()}/${end.toISOString()}`;

/** What a change has sold of the credits that come from one source. */
export interface SoldCredits {
  readonly source: string;
  /** In micros; null: all of them. */
  readonly amount: bigint | null;
}

/**
 * What a change that came about at a moment has sold of the credits of its period, for whoever takes it back: cycles, and of the cycles after
 * that moment which were sold before those of the seats that it has added.
 */
export function creditsSoldBy(
  { id, before, ifPaid }: Pick<SubscriptionChange, 'id' | 'before' | 'ifPaid'>,
  at: Date,
): readonly SoldCredits[] {
  const former = before && isOfSamePeriod(before, ifPaid) ? before : null;
  const ofCycles = paidCycles(ifPaid).map((cycle) => {
    const all = cycleCredits(cycle.terms, ifPaid.plan);
    const isOld = former !== null && cycle.index < former.period.cycles;
    // Of the cycle that ran at that moment the share came by itself.
    const amount = !isOld ? all : cycle.start > at ? all - cycleCredits(cycle.terms, former.plan) : 0n;
    return { source: sourceOfCycle(ifPaid, cycle), amount };
  });
  return [{ source: sourceOfSeats(id), amount: null }, ...ofCycles.filter(({ amount }) => amount > 0n)];
}

/** What comes with seats that a change has added, for the rest of the cycle that runs. */
const sourceOfSeats = (changeId: string): string => `plan:${changeId}`;

/** What the cycle brings that runs at a moment, by the plan of then. */
export function creditsOfCycleAt(subscription: Subscription, at: Date): PlanCreditsDue {
  const { plan } = subscription;
  const running = runningCycle(subscription, at);
  const next = paidCycles(subscription).find(({ start }) => start > at);
  const amount = running ? cycleCredits(running.terms, plan) : 0n;
  return {
    granted:
      running && amount > 0n ? [{ source: sourceOfCycle(subscription, running), amount, expiresAt: running.end }] : [],
    takenBack: null,
    nextAt: next?.start ?? null,
  };
}

/**
 * What comes and goes with a change that has come about: the credits of the cycle that it has begun, of the seats that it has added their
 * share for the rest of the running one; and where another cycle takes the place of one that has still time left, the share of that time is
 * taken back. What is smaller from the next cycle on takes nothing away.
 */
export function creditsOfChange(
  { id, before, startedAt }: Pick<SubscriptionChange, 'id' | 'before' | 'startedAt'>,
  after: Subscription,
  at: Date,
): PlanCreditsDue {
  const begun = creditsOfCycleAt(after, at);
  const old = before && runningCycle(before, at);
  if (!old) return begun;
  const from = startedAt > old.start ? startedAt : old.start;
  if (!isOfSamePeriod(before, after)) {
    const amount = shareLeft(cycleCredits(old.terms, before.plan), old.start, old.end, from);
    const isReplaced = isRunning(after) && amount > 0n;
    return { ...begun, takenBack: isReplaced ? { source: sourceOfCycle(before, old), amount } : null };
  }
  const more = cycleCredits(old.terms, after.plan) - cycleCredits(old.terms, before.plan);
  const amount = more > 0n ? shareLeft(more, old.start, old.end, from) : 0n;
  const granted = amount > 0n ? [{ source: sourceOfSeats(id), amount, expiresAt: old.end }] : [];
  return { ...begun, granted };
}

/** Whether it goes on within the period that it had, which may have got longer. */
const isOfSamePeriod = (before: Subscription, after: Subscription): boolean =>
  isRunning(before) &&
  before.period.start.getTime() === after.period.start.getTime() &&
  before.plan.renewalCycle === after.plan.renewalCycle;

/** The cycles that are paid for, with what was agreed for each. */
function paidCycles(subscription: Subscription): readonly Cycle[] {
  if (!isRunning(subscription)) return [];
  const { period, plan, agreed } = subscription;
  const terms = agreed.flatMap((one) => Array.from({ length: one.cycles }, () => one));
  return cyclesOf(period, plan.renewalCycle).flatMap((cycle, index) => {
    const of = terms[index];
    return of && !of.isTrial ? [{ ...cycle, index, terms: of }] : [];
  });
}

const runningCycle = (subscription: Subscription, at: Date): Cycle | undefined =>
  paidCycles(subscription).find(({ start, end }) => start <= at && at < end);
