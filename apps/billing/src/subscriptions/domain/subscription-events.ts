import { changedFields } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import { endsWithTrial, subscriptionAfter, type SubscriptionChange } from './subscription-change.ts';
import { isTrialing, shownStatus, type Subscription } from './subscription.ts';
import type { Trial } from './trial.ts';

/** What a change that is over tells everybody. A refusal before anything was tried tells nothing. */
export function eventsOf(change: SubscriptionChange, at: Date): readonly BillingEvent[] {
  const after = subscriptionAfter(change);
  switch (change.outcome) {
    case 'accepted':
      return after ? [accepted(change, after, at)] : [];
    case 'payment_refused':
      if (after && endsWithTrial(change)) return [accepted({ ...change, kind: 'ended', totalMinor: 0n }, after, at)];
      return [paymentFailed(change, after, at)];
    case 'organisation_gone':
    case 'seats_taken':
    case null:
      return [];
  }
}

/** How long before a renewal members are told of it, and before the end of a trial, in milliseconds. */
export const renewalNoticeMs = 7 * 86_400_000;
export const trialNoticeMs = 3 * 86_400_000;

/** When members are told of what comes at the end of a period. */
export const renewalToldAt = (subscription: Subscription, renewsAt: Date): Date =>
  new Date(renewsAt.getTime() - (isTrialing(subscription) ? trialNoticeMs : renewalNoticeMs));

/** What members are told of the end of the period that is near. */
export const periodEnding = (
  subscription: Subscription,
  renewsAt: Date,
  totals: Pick<SubscriptionChange, 'totalMinor' | 'currency'>,
  at: Date,
): BillingEvent =>
  isTrialing(subscription)
    ? trialEnding(subscription, totals, at)
    : renewalUpcoming(subscription, renewsAt, totals, at);

const trialEnding = (
  { id, plan, trial }: Subscription & { readonly trial: Trial },
  { totalMinor, currency }: Pick<SubscriptionChange, 'totalMinor' | 'currency'>,
  at: Date,
): BillingEvent<'subscription.trial_ending'> => ({
  name: 'subscription.trial_ending',
  subject: id,
  at,
  data: {
    subscription_id: id,
    trial_ends_at: trial.endsAt.toISOString(),
    total_minor: totalMinor.toString(),
    currency,
    tier: plan.tier,
    seat_count: plan.seatCount,
    missing_payment_method: trial.missingPaymentMethod,
  },
});

/** That a subscription renews soon, and what that comes to as things stand. */
const renewalUpcoming = (
  { id, plan, pending }: Subscription,
  renewsAt: Date,
  { totalMinor, currency }: Pick<SubscriptionChange, 'totalMinor' | 'currency'>,
  at: Date,
): BillingEvent<'subscription.renewal_upcoming'> => ({
  name: 'subscription.renewal_upcoming',
  subject: id,
  at,
  data: {
    subscription_id: id,
    renews_at: renewsAt.toISOString(),
    total_minor: totalMinor.toString(),
    currency,
    tier: (pending ?? plan).tier,
    seat_count: (pending ?? plan).seatCount,
  },
});

function accepted(change: SubscriptionChange, after: Subscription, at: Date): BillingEvent {
  const { kind, before, totalMinor, currency } = change;
  const subject = after.id;
  const { subscription_id, ...fields } = subscriptionFields(after);
  const data = { subscription_id, ...fields, total_minor: totalMinor.toString(), currency };
  if (kind === 'renewed') return { name: 'subscription.renewed', subject, at, data };
  const changed = before
    ? changedFields(subscriptionFields(before), subscriptionFields(after))
    : { before, after: fields };
  return { name: 'subscription.changed', subject, at, data: { ...data, change: kind }, change: changed };
}

const paymentFailed = (change: SubscriptionChange, after: Subscription | null, at: Date): BillingEvent => ({
  name: 'subscription.payment_failed',
  // A first purchase that was refused leaves no subscription behind, but this is the one it was to be.
  subject: change.ifPaid.id,
  at,
  data: {
    subscription_id: change.ifPaid.id,
    change: change.kind,
    code: change.refusal?.code ?? 'card_declined',
    total_minor: change.totalMinor.toString(),
    currency: change.currency,
    grace_ends_at: after?.graceEndsAt?.toISOString() ?? null,
    next_attempt_at: after?.status === 'PAST_DUE' ? (after.nextActionAt?.toISOString() ?? null) : null,
  },
});

function subscriptionFields(subscription: Subscription) {
  const { id, plan, period, pending, trial } = subscription;
  return {
    subscription_id: id,
    tier: plan.tier,
    seat_count: plan.seatCount,
    status: shownStatus(subscription),
    renewal_cycle: plan.renewalCycle,
    current_period_end: period.end.toISOString(),
    pending_tier: pending?.tier ?? null,
    pending_seat_count: pending?.seatCount ?? null,
    trial_ends_at: trial?.endsAt.toISOString() ?? null,
  };
}
