import { decided, levelRequired, type Actor, type Decision } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import { alreadyOwner, memberNotActive } from './errors.ts';
import { invitationWithdrawn, memberLevelChanged, memberRemoved } from './member-events.ts';
import type { Member } from './member.ts';
import { memberOf, membershipOf, requireAnotherOwner, requireReach, withMembers, type Roster } from './roster.ts';

/**
 * Removes a member, or takes an invitation back.
 * NOT_FOUND: no such member, or removed already. FORBIDDEN: a member above the actor's level.
 * CONFLICT: the last active OWNER.
 */
export function removeMember(
  roster: Roster,
  memberId: string,
  actor: Actor,
  at: Date,
): Decision<Roster, IdentityEvent, Member> {
  const member = memberOf(roster, memberId);
  requireReach(actor, member.level);
  requireAnotherOwner(roster, member);
  const removed = ended(member);
  const event =
    member.status === 'invited'
      ? invitationWithdrawn(member, removed, at)
      : memberRemoved(member, removed, at, 'removed');
  return decided(withMembers(roster, removed), event, removed);
}

/** Ends the actor's own membership. NOT_FOUND: not a member any more. CONFLICT: the last active OWNER. */
export function leaveOrganisation(roster: Roster, actor: Actor, at: Date): Decision<Roster, IdentityEvent, Member> {
  const member = membershipOf(roster, actor.userId);
  requireAnotherOwner(roster, member);
  const removed = ended(member);
  return decided(withMembers(roster, removed), memberRemoved(member, removed, at, 'left'), removed);
}

/**
 * Makes another active member OWNER and the actor ADMIN, in one step.
 * NOT_FOUND: no such member. FORBIDDEN: the actor is no OWNER any more. CONFLICT: the member is not active, or the actor.
 */
export function transferOwnership(
  roster: Roster,
  memberId: string,
  actor: Actor,
  at: Date,
): Decision<Roster, IdentityEvent, Member> {
  const from = membershipOf(roster, actor.userId);
  const to = memberOf(roster, memberId);
  if (from.level !== 'OWNER' || from.status !== 'active') throw levelRequired({ level: 'OWNER' });
  if (to.id === from.id) throw alreadyOwner();
  if (to.status !== 'active') throw memberNotActive();

  const admin: Member = { ...from, level: 'ADMIN' };
  const owner: Member = { ...to, level: 'OWNER' };
  return decided(
    withMembers(roster, admin, owner),
    [...(to.level === 'OWNER' ? [] : [memberLevelChanged(to, owner, at)]), memberLevelChanged(from, admin, at)],
    owner,
  );
}

const ended = (member: Member): Member => ({ ...member, status: 'removed', invitationExpiresAt: null });
