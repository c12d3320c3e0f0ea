import type { Fields } from '@platform-backend/core';

export type SubscriptionTier = 'BASIC' | 'TEAM';
export type RenewalCycle = 'MONTHLY' | 'YEARLY';

/** What billing last said about the organisation's subscription. Identity only repeats it. */
export interface Subscription {
  /** Grows with every change; a report that is not newer than this one is ignored. */
  readonly version: bigint;
  readonly tier: SubscriptionTier;
  /** How many members may be active at once. */
  readonly maxMemberLimit: number;
  readonly seatsRenewalEnabled: boolean;
  readonly seatsRenewalCycle: RenewalCycle;
  /** When the seats have to be renewed; of seats that cost nothing, when their first cycle ends. */
  readonly seatsExpiredAt: Date;
  readonly creditChecksEnabled: boolean;
  readonly hasPlan: boolean;
}

export interface Organisation {
  /** `org_` and a ULID. */
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly imageUrl: string;
  readonly subscription: Subscription;
  readonly createdAt: Date;
}

/** Seats of an organisation that has bought nothing. */
export const freeSeats = 5;

/** The subscription of an organisation billing has not heard of yet; any report of billing is newer. */
export const firstSubscription = (foundedAt: Date): Subscription => ({
  version: 0n,
  tier: 'BASIC',
  maxMemberLimit: freeSeats,
  seatsRenewalEnabled: false,
  seatsRenewalCycle: 'MONTHLY',
  seatsExpiredAt: oneMonthAfter(foundedAt),
  creditChecksEnabled: true,
  hasPlan: false,
});

/** The same day and time of the next month in UTC, or that month's last day where it has no such day. */
function oneMonthAfter(at: Date): Date {
  const next = new Date(at);
  next.setUTCMonth(at.getUTCMonth() + 1);
  if (next.getUTCDate() !== at.getUTCDate()) next.setUTCDate(0);
  return next;
}

/** An organisation as the audit log shows it. */
export const organisationFields = ({ email, name, imageUrl, subscription }: Organisation): Fields => ({
  email,
  name,
  image_url: imageUrl,
  subscription_tier: subscription.tier,
  max_member_limit: subscription.maxMemberLimit,
  seats_renewal_enabled: subscription.seatsRenewalEnabled,
  seats_renewal_cycle: subscription.seatsRenewalCycle,
  seats_expired_at: subscription.seatsExpiredAt.toISOString(),
  credit_checks_enabled: subscription.creditChecksEnabled,
  has_plan: subscription.hasPlan,
});
