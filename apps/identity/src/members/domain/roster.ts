import { includesLevel, levelRequired, type Actor, type PermissionLevel } from '@platform-backend/core';
import { lastOwner, memberNotFound, noSeatLeft, personRequired } from './errors.ts';
import type { Member } from './member.ts';

/**
 * Who belongs to an organisation, as far as a decision needs it: counts over all members, and the members it is
 * about. The store reads it while it holds the organisation's row lock, so two decisions never see the same seat.
 */
export interface Roster {
  /** How many members may be active at once. Suspended members take no seat. */
  readonly seatLimit: number;
  readonly activeMembers: number;
  /** Invitations that could be accepted when the decision was asked for. */
  readonly openInvitations: number;
  /** Active members with level OWNER; never below one. */
  readonly activeOwners: number;
  /** The members asked for, without removed ones. */
  readonly members: readonly Member[];
}

/** The member with this id. NOT_FOUND: none, or removed. */
export function memberOf(roster: Roster, memberId: string): Member {
  const member = roster.members.find(({ id }) => id === memberId);
  if (!member) throw memberNotFound();
  return member;
}

/** The membership of this user. NOT_FOUND: none, or removed. */
export function membershipOf(roster: Roster, userId: string | null): Member {
  const member = roster.members.find(({ user }) => user !== null && user.id === userId);
  if (!member) throw memberNotFound();
  return member;
}

/** The roster with these members in place of their former selves; new ones are added. */
export function withMembers(roster: Roster, ...changed: readonly Member[]): Roster {
  const kept = roster.members.filter(({ id }) => !changed.some((member) => member.id === id));
  return { ...roster, members: [...kept, ...changed] };
}

/** CONFLICT: every seat is taken. */
export function requireFreeSeat(roster: Roster): void {
  if (roster.activeMembers >= roster.seatLimit) throw noSeatLeft();
}

/** CONFLICT: with the invitations that are open every seat is promised. */
export function requireSeatToPromise(roster: Roster): void {
  if (roster.activeMembers + roster.openInvitations >= roster.seatLimit) throw noSeatLeft();
}

/** CONFLICT: the organisation would be left without an OWNER who can act. */
export function requireAnotherOwner(roster: Roster, member: Member): void {
  if (isActiveOwner(member) && roster.activeOwners <= 1) {
    throw lastOwner();
  }
}

/** FORBIDDEN: nobody changes or removes somebody above their own level; so only an OWNER changes an OWNER. */
export function requireReach(actor: Actor, level: PermissionLevel): void {
  if (!includesLevel(actor.level, level)) throw levelRequired({ level });
}

/**
 * FORBIDDEN: nobody gives more than they have, and no API key gives ADMIN. Whoever finds a key could otherwise make
 * themselves an ADMIN, and stay one when the key is revoked.
 */
export function requireMayGive(actor: Actor, level: PermissionLevel): void {
  requireReach(actor, level);
  if (actor.type === 'api_key' && includesLevel(level, 'ADMIN')) {
    throw personRequired();
  }
}

const isActiveOwner = (member: Member): boolean => member.level === 'OWNER' && member.status === 'active';
