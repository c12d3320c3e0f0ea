import { trialStarted } from './change-plan.ts';
import { noTrialRuns, trialEndsEarlier, trialWhileSubscribed } from './errors.ts';
import type { PlanTerms } from './plan-terms.ts';
import type { Plan } from './plan.ts';
import { planned, type PlannedChange } from './planned-change.ts';
import { nothingToPay } from './subscription-bill.ts';
import { isTrialing, type Subscription } from './subscription.ts';
import { trialPeriod, type Trial } from './trial.ts';

/** A trial that an operator gives, whatever was tried or bought before. CONFLICT: a subscription runs or is past due. */
export function giveTrial(
  current: Subscription | null,
  given: { readonly newId: string; readonly plan: Plan; readonly trial: Trial },
  today: PlanTerms,
): PlannedChange {
  if (current && current.status !== 'ENDED') throw trialWhileSubscribed();
  const started = trialStarted(current, current?.id ?? given.newId, given.plan, given.trial, today);
  // Nobody is thrown out, but nobody gets in.
  return { ...started, maxActiveMembers: null };
}

/** Has the trial that runs end later. Null: it ends then already. CONFLICT: none runs, or it would end earlier. */
export function extendTrial(current: Subscription | null, endsAt: Date): PlannedChange | null {
  if (!isTrialing(current)) throw noTrialRuns();
  const { trial: before } = current;
  if (before.endsAt.getTime() === endsAt.getTime()) return null;
  if (endsAt < before.endsAt) throw trialEndsEarlier({ endsAt: before.endsAt.toISOString() });
  const trial = { ...before, endsAt };
  const next = { ...current, trial, period: trialPeriod(trial), nextActionAt: endsAt };
  return planned('trial_extended', current, next, nothingToPay(current.creditMinor), null);
}
