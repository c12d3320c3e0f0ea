import { changedFields } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import { subscriptionAfter, type SubscriptionChange } from './subscription-change.ts';
import type { Subscription } from './subscription.ts';

/** What a change that is over tells everybody. A refusal before anything was tried tells nothing. */
export function eventsOf(change: SubscriptionChange, at: Date): readonly BillingEvent[] {
  const after = subscriptionAfter(change);
  switch (change.outcome) {
    case 'accepted':
      return after ? [accepted(change, after, at)] : [];
    case 'payment_refused':
      return [paymentFailed(change, after, at)];
    case 'organisation_gone':
    case 'seats_taken':
    case null:
      return [];
  }
}

/** How long before a renewal members are told of it, in milliseconds. */
export const renewalNoticeMs = 7 * 86_400_000;

export const renewalToldAt = (renewsAt: Date): Date => new Date(renewsAt.getTime() - renewalNoticeMs);

/** That a subscription renews soon, and what that comes to as things stand. */
export const renewalUpcoming = (
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

const subscriptionFields = ({ id, plan, status, period, pending }: Subscription) => ({
  subscription_id: id,
  tier: plan.tier,
  seat_count: plan.seatCount,
  status,
  renewal_cycle: plan.renewalCycle,
  current_period_end: period.end.toISOString(),
  pending_tier: pending?.tier ?? null,
  pending_seat_count: pending?.seatCount ?? null,
});
