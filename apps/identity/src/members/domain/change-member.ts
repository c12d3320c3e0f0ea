import type { Actor, Decision, PermissionLevel } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import { memberNotJoined } from './errors.ts';
import { memberLevelChanged, memberReactivated, memberSuspended } from './member-events.ts';
import type { Member } from './member.ts';
import {
  memberOf,
  requireAnotherOwner,
  requireFreeSeat,
  requireMayGive,
  requireReach,
  withMembers,
  type Roster,
} from './roster.ts';

export interface ChangeMember {
  readonly level?: PermissionLevel;
  readonly status?: 'active' | 'suspended';
}

/**
 * Changes a member's level, suspends or reactivates it. What is already so stays so without an event.
 * NOT_FOUND: no such member. FORBIDDEN: a member above the actor's level, or a level that the actor may not give, be it
 * by promoting or by reactivating.
 * CONFLICT: it would leave no active OWNER, an invitation cannot be suspended, or no seat is left to reactivate.
 */
export function changeMember(
  roster: Roster,
  memberId: string,
  { level, status }: ChangeMember,
  actor: Actor,
  at: Date,
): Decision<Roster, IdentityEvent, Member> {
  const member = memberOf(roster, memberId);
  const next: Member = { ...member, level: level ?? member.level, status: status ?? member.status };
  requireReach(actor, member.level);
  const reactivated = member.status === 'suspended' && next.status === 'active';
  if (next.level !== member.level || reactivated) requireMayGive(actor, next.level);
  if (next.status !== member.status) {
    if (member.status === 'invited') throw memberNotJoined();
    if (next.status === 'active') requireFreeSeat(roster);
  }
  if (next.level !== 'OWNER' || next.status !== 'active') requireAnotherOwner(roster, member);

  const events: IdentityEvent[] = [];
  const leveled: Member = { ...member, level: next.level };
  if (next.level !== member.level) events.push(memberLevelChanged(member, leveled, at));
  if (next.status !== member.status) {
    events.push(next.status === 'active' ? memberReactivated(leveled, next, at) : memberSuspended(leveled, next, at));
  }
  if (events.length === 0) return { state: roster, events, result: member };
  return { state: withMembers(roster, next), events, result: next };
}
