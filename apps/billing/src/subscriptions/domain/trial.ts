import { invalidField } from '@platform-backend/core';
import { trialNotOffered } from './errors.ts';
import type { PaidPeriod } from './paid-period.ts';
import type { PlanTerms } from './plan-terms.ts';
import type { SubscriptionTier } from './plan.ts';

/** What the end of a trial does where no payment method is set up. */
export type TrialEnd = 'CANCEL' | 'CREATE_INVOICE';

/** Time for which an organisation tries a plan for nothing: a first period that is agreed at nothing, and renews as any other. */
export interface Trial {
  readonly startedAt: Date;
  /** Of one that runs the end of the period. */
  readonly endsAt: Date;
  readonly missingPaymentMethod: TrialEnd;
}

/** How many days a trial of a tier lasts; 0: none is offered. */
export type TrialDays = Readonly<Record<SubscriptionTier, number>>;

const dayMs = 86_400_000;

/** The trial of a tier that begins then. CONFLICT: none is offered. */
export function newTrial(trialDays: TrialDays, tier: SubscriptionTier, end: TrialEnd | null, at: Date): Trial {
  const days = trialDays[tier];
  if (days === 0) throw trialNotOffered();
  return trialOf(days, end, at);
}

export const trialOf = (days: number, end: TrialEnd | null, at: Date): Trial => ({
  startedAt: at,
  endsAt: new Date(at.getTime() + days * dayMs),
  missingPaymentMethod: end ?? 'CANCEL',
});

/** The period of a trial; the cycles after it begin on the day of the month on which it ends. */
export const trialPeriod = ({ startedAt: start, endsAt: end }: Trial): PaidPeriod => ({
  start,
  end,
  cycles: 1,
  anchorDay: end.getUTCDate(),
});

/** Today's terms, at nothing. */
export const atNothing = ({ prices, taxed }: PlanTerms): PlanTerms => ({ prices, taxed, isTrial: true });

/** What is tried cannot be paid for with the same call, since the call may come twice. */
export function requireTrialAlone({ trial, renew }: { readonly trial?: boolean; readonly renew?: boolean }): void {
  if (trial !== true || renew !== true) return;
  throw invalidField(['body', 'trial'], 'a trial is not begun and paid for at once: leave renew out', true);
}
