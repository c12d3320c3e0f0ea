import { endSubscription } from './cancel-subscription.ts';
import { cycleLines } from './change-plan.ts';
import { nextPeriodAt } from './paid-period.ts';
import { payUnpaid, type UnpaidRenewal } from './pay-unpaid.ts';
import { agreedWith, termsOfNextCycle, type PlanTerms } from './plan-terms.ts';
import type { PlannedChange } from './planned-change.ts';
import { billOf } from './subscription-bill.ts';
import type { Subscription } from './subscription.ts';

/** How long a renewal that is refused is tried again, and how often. */
export interface GraceTerms {
  readonly graceDays: number;
  readonly retryHours: number;
}

/**
 * What the schedule does with a subscription whose time has come: renews it by one cycle, tries a refused renewal
 * once more as its invoice says, or ends it. Cycles that were missed as a whole, since the clock has jumped or nobody looked for months, are not
 * charged. Null: its time has not come. Seats that are taken are no reason to refuse here: nobody is
 * thrown out, but nobody new gets in.
 */
export function renewOnSchedule(
  current: Subscription,
  today: PlanTerms,
  grace: GraceTerms,
  at: Date,
  unpaid: UnpaidRenewal | null = null,
): PlannedChange | null {
  if (current.nextActionAt === null || current.nextActionAt > at) return null;
  if (current.status === 'CANCELING' || (current.graceEndsAt !== null && current.graceEndsAt <= at)) {
    return endSubscription(current);
  }
  if (unpaid) return payUnpaid(current, unpaid, pastDue(current, grace, at));
  const plan = current.pending ?? current.plan;
  const period = nextPeriodAt(current.period, plan.renewalCycle, at);
  const terms = termsOfNextCycle(current, today, current.creditMinor > 0n, period.start);
  const bill = billOf(cycleLines(terms, plan, period), current.creditMinor);
  return {
    kind: 'renewed',
    before: current,
    ifPaid: {
      ...current,
      plan,
      period,
      agreed: agreedWith([], terms),
      status: 'ACTIVE',
      pending: null,
      graceEndsAt: null,
      unpaidChangeId: null,
      creditMinor: bill.creditMinor,
      nextActionAt: period.end,
    },
    ifRefused: pastDue(current, grace, at),
    paysInvoiceOf: null,
    bill,
    terms,
    redemptionId: terms.discount?.redemptionId ?? null,
    maxActiveMembers: null,
  };
}

function pastDue(current: Subscription, { graceDays, retryHours }: GraceTerms, at: Date): Subscription {
  const graceEndsAt = current.graceEndsAt ?? new Date(at.getTime() + graceDays * dayMs);
  const retryAt = new Date(at.getTime() + retryHours * hourMs);
  return { ...current, status: 'PAST_DUE', graceEndsAt, nextActionAt: retryAt < graceEndsAt ? retryAt : graceEndsAt };
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
