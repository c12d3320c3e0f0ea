import { decided, type Decision } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import { sameEmail } from './email-address.ts';
import { alreadyAMember, invitationNotFound } from './errors.ts';
import { invitationExpired } from './invite-member.ts';
import { invitationDeclined, memberAdded } from './member-events.ts';
import type { Member, MemberUser } from './member.ts';
import { requireFreeSeat, withMembers, type Roster } from './roster.ts';

/**
 * Makes the invited person an active member; this takes a seat.
 * NOT_FOUND: not this person's, expired or answered. CONFLICT: a member already (invited under a second
 * address), or no seat is left.
 */
export function acceptInvitation(
  roster: Roster,
  id: string,
  person: MemberUser,
  at: Date,
): Decision<Roster, IdentityEvent, Member> {
  const invitation = openInvitation(roster, id, person, at);
  if (roster.members.some(({ user }) => user?.id === person.id)) {
    throw alreadyAMember();
  }
  requireFreeSeat(roster);
  const member: Member = { ...invitation, user: person, status: 'active', invitationExpiresAt: null };
  return decided(withMembers(roster, member), memberAdded(invitation, member, at), member);
}

/** Answers an invitation with no. NOT_FOUND: not this person's, expired or answered. */
export function declineInvitation(
  roster: Roster,
  id: string,
  person: MemberUser,
  at: Date,
): Decision<Roster, IdentityEvent, Member> {
  const invitation = openInvitation(roster, id, person, at);
  const member: Member = { ...invitation, status: 'removed', invitationExpiresAt: null };
  return decided(withMembers(roster, member), invitationDeclined(invitation, member, at), member);
}

function openInvitation(roster: Roster, id: string, person: MemberUser, at: Date): Member {
  const invitation = roster.members.find((member) => member.id === id && member.status === 'invited');
  if (!invitation || !sameEmail(invitation.email, person.email) || invitationExpired(invitation, at)) {
    throw invitationNotFound();
  }
  return invitation;
}
