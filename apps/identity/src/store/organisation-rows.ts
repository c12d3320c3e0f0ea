import type { Organisation, RenewalCycle, SubscriptionTier } from '../domain/organisations/organisation.ts';

export interface OrganisationRow {
  id: string;
  email: string;
  name: string;
  image_url: string;
  created_at: Date;
  /** bigint: text on reading. */
  subscription_version: string;
  subscription_tier: SubscriptionTier;
  max_member_limit: number;
  seats_renewal_enabled: boolean;
  seats_renewal_cycle: RenewalCycle;
  seats_expired_at: Date;
  credit_checks_enabled: boolean;
  has_plan: boolean;
}

export const organisationOfRow = (row: OrganisationRow): Organisation => ({
  id: row.id,
  email: row.email,
  name: row.name,
  imageUrl: row.image_url,
  createdAt: row.created_at,
  subscription: {
    version: BigInt(row.subscription_version),
    tier: row.subscription_tier,
    maxMemberLimit: row.max_member_limit,
    seatsRenewalEnabled: row.seats_renewal_enabled,
    seatsRenewalCycle: row.seats_renewal_cycle,
    seatsExpiredAt: row.seats_expired_at,
    creditChecksEnabled: row.credit_checks_enabled,
    hasPlan: row.has_plan,
  },
});

export const rowOfOrganisation = ({ subscription, ...organisation }: Organisation): OrganisationRow => ({
  id: organisation.id,
  email: organisation.email,
  name: organisation.name,
  image_url: organisation.imageUrl,
  created_at: organisation.createdAt,
  subscription_version: subscription.version.toString(),
  subscription_tier: subscription.tier,
  max_member_limit: subscription.maxMemberLimit,
  seats_renewal_enabled: subscription.seatsRenewalEnabled,
  seats_renewal_cycle: subscription.seatsRenewalCycle,
  seats_expired_at: subscription.seatsExpiredAt,
  credit_checks_enabled: subscription.creditChecksEnabled,
  has_plan: subscription.hasPlan,
});
