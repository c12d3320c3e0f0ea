import { decided, type Actor, type Decision, type PermissionLevel } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import { rejectConfusableEmail, sameEmail } from './email-address.ts';
import { alreadyAMember, alreadyInvited } from './errors.ts';
import { memberInvited } from './member-events.ts';
import type { Member } from './member.ts';
import { requireMayGive, requireSeatToPromise, withMembers, type Roster } from './roster.ts';

/** How long an invitation can be accepted. */
export const invitationLifetimeDays = 14;

export interface InviteMember {
  /** The id of the new invitation; an expired one for the same address is renewed instead. */
  readonly id: string;
  readonly email: string;
  readonly level: PermissionLevel;
}

/**
 * Invites a person by e-mail. An invitation promises a seat until it expires, and takes it when it is accepted.
 * CONFLICT: already a member or invited, or no seat is left. FORBIDDEN: a level that the actor may not give. INVALID:
 * an address that looks like another.
 */
export function inviteMember(
  roster: Roster,
  wanted: InviteMember,
  actor: Actor,
  at: Date,
): Decision<Roster, IdentityEvent, Member> {
  requireMayGive(actor, wanted.level);
  rejectConfusableEmail(wanted.email);
  const known = roster.members.filter((member) =>
    [member.email, member.user?.email ?? member.email].some((email) => sameEmail(email, wanted.email)),
  );
  if (known.some(({ status }) => status !== 'invited')) {
    throw alreadyAMember();
  }
  const invitation = known[0];
  if (invitation && !invitationExpired(invitation, at)) {
    throw alreadyInvited();
  }
  requireSeatToPromise(roster);

  const member = {
    id: invitation?.id ?? wanted.id,
    user: null,
    email: wanted.email,
    level: wanted.level,
    status: 'invited',
    createdAt: invitation?.createdAt ?? at,
    invitedBy: (actor.onBehalfOf ?? actor).name,
    invitationExpiresAt: new Date(at.getTime() + invitationLifetimeDays * 86_400_000),
  } satisfies Member;
  return decided(withMembers(roster, member), memberInvited(member, at), member);
}

/** Whether it is too late to accept. */
export const invitationExpired = (member: Member, at: Date): boolean =>
  member.invitationExpiresAt === null || member.invitationExpiresAt <= at;
