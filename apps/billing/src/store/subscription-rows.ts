import type { RenewalCycle } from '../domain/subscriptions/paid-period.ts';
import type { Subscription, SubscriptionStatus, SubscriptionTier } from '../domain/subscriptions/subscription.ts';

/** A subscription as a row, and as a part of a change in JSON, where moments and bigints are text. */
export interface SubscriptionRow {
  id: string;
  tier: SubscriptionTier;
  seat_count: number;
  renewal_cycle: RenewalCycle;
  status: SubscriptionStatus;
  period_start: Date | string;
  period_end: Date | string;
  period_cycles: number;
  anchor_day: number;
  pending_tier: SubscriptionTier | null;
  pending_seat_count: number | null;
  pending_renewal_cycle: RenewalCycle | null;
  grace_ends_at: Date | string | null;
  credit_minor: string;
  next_action_at: Date | string | null;
  version: string;
}

export const subscriptionOfRow = (row: SubscriptionRow): Subscription => ({
  id: row.id,
  plan: { tier: row.tier, seatCount: row.seat_count, renewalCycle: row.renewal_cycle },
  status: row.status,
  period: {
    start: new Date(row.period_start),
    end: new Date(row.period_end),
    cycles: row.period_cycles,
    anchorDay: row.anchor_day,
  },
  pending: pendingOfRow(row),
  graceEndsAt: row.grace_ends_at === null ? null : new Date(row.grace_ends_at),
  creditMinor: BigInt(row.credit_minor),
  nextActionAt: row.next_action_at === null ? null : new Date(row.next_action_at),
  version: BigInt(row.version),
});

function pendingOfRow(row: SubscriptionRow): Subscription['pending'] {
  const { pending_tier: tier, pending_seat_count: seatCount, pending_renewal_cycle: renewalCycle } = row;
  return tier === null || seatCount === null || renewalCycle === null ? null : { tier, seatCount, renewalCycle };
}

export const rowOfSubscription = ({ plan, period, pending, ...subscription }: Subscription): SubscriptionRow => ({
  id: subscription.id,
  tier: plan.tier,
  seat_count: plan.seatCount,
  renewal_cycle: plan.renewalCycle,
  status: subscription.status,
  period_start: period.start,
  period_end: period.end,
  period_cycles: period.cycles,
  anchor_day: period.anchorDay,
  pending_tier: pending?.tier ?? null,
  pending_seat_count: pending?.seatCount ?? null,
  pending_renewal_cycle: pending?.renewalCycle ?? null,
  grace_ends_at: subscription.graceEndsAt,
  credit_minor: subscription.creditMinor.toString(),
  next_action_at: subscription.nextActionAt,
  version: subscription.version.toString(),
});
