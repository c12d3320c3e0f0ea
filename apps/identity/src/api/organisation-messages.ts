import type { MemberInput, MemberUserInput, OrganisationInput } from '@platform/contract/identity';
import type { Member } from '../domain/members/member.ts';
import type { OrganisationWithMembers } from '../domain/organisations/organisations.ts';

export const organisationMessage = ({ subscription, ...organisation }: OrganisationWithMembers): OrganisationInput => ({
  email: organisation.email,
  name: organisation.name,
  imageUrl: organisation.imageUrl,
  id: organisation.id,
  members: organisation.members.map(({ id, user, level }) => ({
    id,
    user: userMessage(user),
    permissionLevel: level,
  })),
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
