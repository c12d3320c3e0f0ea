import type { Discount } from '../../coupons/domain/discount.ts';
import { currencyOf } from '../../prices/domain/currency.ts';
import { resumeSubscription } from './cancel-subscription.ts';
import { paidFarAhead, renewedAsItIs, trialUsed } from './errors.ts';
import { extendedBy, firstPeriod, periodAfter, valueLeft, type PaidPeriod, type RenewalCycle } from './paid-period.ts';
import { payUnpaid, type UnpaidRenewal } from './pay-unpaid.ts';
import {
  agreedFor,
  agreedPrices,
  agreedWith,
  cycleCost,
  firstAgreed,
  termsOfNextCycle,
  type AgreedCycles,
  type PlanTerms,
} from './plan-terms.ts';
import { isSamePlan, type Plan, type SubscriptionTier } from './plan.ts';
import { planned, type PlannedChange } from './planned-change.ts';
import { cyclePrice } from './seat-prices.ts';
import { billOf, nothingToPay, type BillLine } from './subscription-bill.ts';
import { isRunning, isTrialing, type Subscription } from './subscription.ts';
import {
  atNothing,
  newTrial,
  requireTrialAlone,
  trialPeriod,
  type Trial,
  type TrialDays,
  type TrialEnd,
} from './trial.ts';

export interface PlanInput {
  readonly tier: SubscriptionTier;
  readonly seatCount: number;
  /** Absent: the present one. */
  readonly renewalCycle?: RenewalCycle;
  /** Pays for one more cycle of the plan as it is; of a trial for the first one, at once. */
  readonly renew?: boolean;
  /** Begins with a trial. */
  readonly trial?: boolean;
  /** Null or absent: the usual one. */
  readonly trialEnd?: TrialEnd | null;
}

/** What deciding needs beside the subscription itself. */
export interface ChangeTerms {
  /** On which seats are sold now. */
  readonly today: PlanTerms;
  /** Of each tier, for who has bought nothing yet. */
  readonly trialDays: TrialDays;
  /** Of a subscription that has none yet, when the buyer asks for no other. */
  readonly defaultCycle: RenewalCycle;
  /** The renewal that was refused and can still be paid; null: none. */
  readonly unpaid: UnpaidRenewal | null;
  /** The id of a first subscription. */
  readonly newSubscriptionId: string;
}

/** How far ahead cycles can be paid for. */
export const maxYearsAhead = 5;

/**
 * Buys, upgrades, downgrades or renews (D27, decision 0066). Fewer seats and TEAM to BASIC count from the end of the
 * period; everything else at once. What changes within a period goes by what was agreed for it; what begins a new cycle
 * goes by today's terms. What is unused of the old plan counts against the price of the new one. A change takes a
 * cancellation back. Within a trial everything counts at once and costs nothing, until that ends or is renewed. Null: it is so already.
 * CONFLICT: it would be paid for more than five years ahead, another plan than the present one is to be renewed, or there is no trial for it.
 */
export function changePlan(
  current: Subscription | null,
  wanted: PlanInput,
  terms: ChangeTerms,
  at: Date,
): PlannedChange | null {
  const plan: Plan = {
    tier: wanted.tier,
    seatCount: wanted.seatCount,
    renewalCycle: wanted.renewalCycle ?? current?.plan.renewalCycle ?? terms.defaultCycle,
  };
  requireTrialAlone(wanted);
  if (wanted.trial === true && !isTrialing(current)) return beginTrial(current, plan, wanted, terms, at);
  if (!isRunning(current)) return begin(current, plan, terms, at);
  const isAsItIs = isSamePlan(current.plan, plan);
  if (wanted.renew === true) {
    if (!isAsItIs) throw renewedAsItIs();
    return isTrialing(current) ? endTrial(current, terms, at) : renew(current, terms, at);
  }
  if (isAsItIs) return resumeSubscription(current);
  if (isTrialing(current)) return changeWithinTrial(current, plan);
  if (takesEffectLater(current.plan, plan)) return schedule(current, plan);
  if (current.plan.renewalCycle !== plan.renewalCycle) return changeCycle(current, plan, terms, at);
  return changeWithinPeriod(current, plan, terms, at);
}

/** Nothing is paid back: what is smaller begins when what is paid for is over. */
const takesEffectLater = (now: Plan, next: Plan): boolean =>
  now.tier === next.tier
    ? now.renewalCycle === next.renewalCycle && next.seatCount < now.seatCount
    : next.tier === 'BASIC';

/** The first period, the first after an end, or the one that was not paid for yet. */
function begin(current: Subscription | null, plan: Plan, { today, unpaid, newSubscriptionId }: ChangeTerms, at: Date) {
  const pastDue = current?.status === 'PAST_DUE';
  if (current && unpaid && isSamePlan(unpaid.ifPaid.plan, plan)) return payUnpaid(current, unpaid, null);
  const period = pastDue ? periodAfter(current.period, plan.renewalCycle) : firstPeriod(at, plan.renewalCycle);
  const credit = current?.creditMinor ?? 0n;
  const terms = current ? termsOfNextCycle(current, today, credit > 0n, period.start) : today;
  const bill = billOf(cycleLines(terms, plan, period), credit);
  const id = current?.id ?? newSubscriptionId;
  const next = running({ id, plan, period, agreed: agreedWith([], terms), trial: current?.trial ?? null });
  return planned(pastDue ? 'renewed' : 'started', current, next, bill, terms, terms.discount);
}

/** A first period that costs nothing. */
function beginTrial(
  current: Subscription | null,
  plan: Plan,
  { trialEnd = null }: PlanInput,
  { today, trialDays, newSubscriptionId: id }: ChangeTerms,
  at: Date,
): PlannedChange {
  if (current) throw trialUsed();
  return trialStarted(null, id, plan, newTrial(trialDays, plan.tier, trialEnd, at), today);
}

/** The trial of a plan, of an organisation for which nothing runs. */
export function trialStarted(
  current: Subscription | null,
  id: string,
  plan: Plan,
  trial: Trial,
  today: PlanTerms,
): PlannedChange {
  // What is left over stays money of its currency.
  const isLeftOver = current !== null && current.creditMinor > 0n;
  const terms = current ? termsOfNextCycle(current, today, isLeftOver, trial.startedAt) : today;
  const agreed = agreedWith([], atNothing(terms));
  const next = running({ id, plan, period: trialPeriod(trial), agreed, trial });
  return planned('trial_started', current, next, nothingToPay(current?.creditMinor ?? 0n), null);
}

/** Another plan for the rest of the trial, and for what begins at its end. */
function changeWithinTrial(current: Subscription & { readonly trial: Trial }, plan: Plan): PlannedChange {
  const next: Subscription = { ...current, status: 'ACTIVE', plan, pending: null };
  return planned('trial_changed', current, next, nothingToPay(current.creditMinor), null);
}

/** Ends a trial by paying for the first cycle. */
function endTrial(current: Subscription & { readonly trial: Trial }, { today }: ChangeTerms, at: Date): PlannedChange {
  const { id, plan } = current;
  const period = firstPeriod(at, plan.renewalCycle);
  const terms = termsOfNextCycle(current, today, current.creditMinor > 0n, at);
  const bill = billOf(cycleLines(terms, plan, period), current.creditMinor);
  const trial = { ...current.trial, endsAt: at };
  const next = running({ id, plan, period, agreed: agreedWith([], terms), trial });
  return planned('renewed', current, next, bill, terms, terms.discount);
}

function schedule(current: Subscription, plan: Plan): PlannedChange | null {
  if (current.status === 'ACTIVE' && current.pending && isSamePlan(current.pending, plan)) return null;
  const next: Subscription = { ...current, status: 'ACTIVE', pending: plan };
  return planned('downgrade_scheduled', current, next, nothingToPay(current.creditMinor), null);
}

/** Another plan for the rest of the same period. */
function changeWithinPeriod(current: Subscription, plan: Plan, { today }: ChangeTerms, at: Date): PlannedChange {
  const { id, period, trial } = current;
  const agreed = agreedFor(current, today);
  const amountMinor = valueLeft(agreedPrices(agreed, plan), period, plan.renewalCycle, at, smallestStep(agreed));
  const description = `${planName(plan)}, from ${day(at)} to ${day(period.end)}`;
  const lines = [unusedLine(current, today, at), { description, quantity: plan.seatCount, amountMinor }];
  const bill = billOf(lines, current.creditMinor);
  return planned('upgraded', current, running({ id, plan, period, agreed, trial }), bill, firstAgreed(current, today));
}

/** A cycle of another length begins at once; what is left of the old one counts against its price. */
function changeCycle(current: Subscription, plan: Plan, { today }: ChangeTerms, at: Date): PlannedChange {
  const period = firstPeriod(at, plan.renewalCycle);
  const terms = termsOfNextCycle(current, today, true, period.start);
  const lines = [unusedLine(current, today, at), ...cycleLines(terms, plan, period)];
  const kind = current.plan.tier === plan.tier ? 'renewed' : 'upgraded';
  const next = running({ id: current.id, plan, period, agreed: agreedWith([], terms), trial: current.trial });
  return planned(kind, current, next, billOf(lines, current.creditMinor), terms, terms.discount);
}

/** One more cycle after those that are paid for. */
function renew(current: Subscription, { today }: ChangeTerms, at: Date): PlannedChange {
  const { id, plan, trial } = current;
  const period = extendedBy(current.period, plan.renewalCycle);
  const limit = new Date(at);
  limit.setUTCFullYear(at.getUTCFullYear() + maxYearsAhead);
  if (period.end > limit) {
    throw paidFarAhead({ years: maxYearsAhead });
  }
  const added: PaidPeriod = { ...period, start: current.period.end, cycles: 1 };
  const terms = termsOfNextCycle(current, today, true, added.start);
  const agreed = agreedWith(agreedFor(current, today), terms);
  const bill = billOf(cycleLines(terms, plan, added), current.creditMinor);
  return planned('renewed', current, running({ id, plan, period, agreed, trial }), bill, terms, terms.discount);
}

const running = ({
  id,
  plan,
  period,
  agreed,
  trial,
}: Pick<Subscription, 'id' | 'plan' | 'period' | 'agreed' | 'trial'>): Subscription => ({
  id,
  plan,
  status: 'ACTIVE',
  period,
  agreed,
  trial,
  pending: null,
  graceEndsAt: null,
  unpaidChangeId: null,
  creditMinor: 0n,
  nextActionAt: period.end,
  version: 0n,
});

function unusedLine(current: Subscription, today: PlanTerms, at: Date): BillLine {
  const { plan, period } = current;
  const agreed = agreedFor(current, today);
  const amountMinor = -valueLeft(agreedPrices(agreed, plan), period, plan.renewalCycle, at, smallestStep(agreed));
  return { description: `Unused time of ${planName(plan)}, from ${day(at)}`, quantity: plan.seatCount, amountMinor };
}

/** Parts of a period are a multiple of so many minor units; it has one currency as long as anything is left of it. */
const smallestStep = ([first]: readonly AgreedCycles[]): bigint =>
  first ? currencyOf(first.prices.currency).step : 1n;

/** One cycle of a plan at its full price, and what is taken off. */
export function cycleLines(terms: PlanTerms, plan: Plan, { start, end }: PaidPeriod): readonly BillLine[] {
  const full = cyclePrice(terms.prices, plan);
  const description = `${planName(plan)}, from ${day(start)} to ${day(end)}`;
  const line: BillLine = { description, quantity: plan.seatCount, amountMinor: full };
  const off = full - cycleCost(terms, plan);
  if (!terms.discount || off === 0n) return [line];
  return [line, { description: discountName(terms.discount), quantity: 1, amountMinor: -off }];
}

const discountName = ({ code, percentOff }: Discount): string =>
  percentOff === null ? `Coupon ${code}` : `Coupon ${code}, ${String(percentOff)} % off`;

const planName = ({ tier, seatCount }: Plan): string => `${tier}, ${seatCount} ${seatCount === 1 ? 'seat' : 'seats'}`;

const day = (date: Date): string => date.toISOString().slice(0, 10);
