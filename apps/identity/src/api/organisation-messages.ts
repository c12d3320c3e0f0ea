import type {
  MemberInput,
  MemberUserInput,
  OrganisationInput,
  OrganisationSummaryInput,
  ResolvedOrganisationInput,
} from '@platform/contract/identity';
import type { Member } from '../domain/members/member.ts';
import type { Organisation, Subscription } from '../domain/organisations/organisation.ts';
import type { OrganisationOfUser, OrganisationWithMembers } from '../domain/organisations/organisations.ts';

export const organisationMessage = ({ subscription, ...organisation }: OrganisationWithMembers): OrganisationInput => ({
  email: organisation.email,
  name: organisation.name,
  imageUrl: organisation.imageUrl,
  id: organisation.id,
  members: organisation.members.map(({ id, user, level }) => ({ id, user, permissionLevel: level })),
  ...subscriptionFields(subscription),
});

export const organisationSummaryMessage = ({
  subscription,
  ...organisation
}: OrganisationOfUser): OrganisationSummaryInput => ({
  email: organisation.email,
  name: organisation.name,
  imageUrl: organisation.imageUrl,
  id: organisation.id,
  memberCount: organisation.memberCount,
  ...subscriptionFields(subscription),
  permissionLevel: organisation.level,
  createdAt: organisation.createdAt,
});

export const resolvedOrganisationMessage = ({ id, name }: Organisation): ResolvedOrganisationInput => ({
  organisationId: id,
  name,
});

const subscriptionFields = (subscription: Subscription) => ({
  subscriptionTier: subscription.tier,
  maxMemberLimit: subscription.maxMemberLimit,
  seatsRenewalEnabled: subscription.seatsRenewalEnabled,
  seatsRenewalCycle: subscription.seatsRenewalCycle,
  seatsExpiredAt: subscription.seatsExpiredAt,
  creditChecksEnabled: subscription.creditChecksEnabled,
  hasPlan: subscription.hasPlan,
});

/** A member is known under the address of the account; before there is one, under the address invited. */
export const memberMessage = (member: Member): MemberInput => ({
  id: member.id,
  user: userMessage(member.user),
  email: member.user?.email ?? member.email,
  permissionLevel: member.level,
  status: member.status,
  createdAt: member.createdAt,
  invitationExpiresAt: member.invitationExpiresAt,
});

const userMessage = (user: Member['user']): MemberUserInput | null =>
  user && { id: user.id, name: user.name, email: user.email };
