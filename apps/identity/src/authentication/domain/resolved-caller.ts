import { membershipSuspended, notAMember, type PermissionLevel } from '@platform-backend/core';
import type { MemberStatus, MemberUser } from '../../members/domain/member.ts';
import { invalidToken } from './errors.ts';
import type { User } from './user.ts';

/** Whom a verified credential stands for. */
export interface ResolvedCaller {
  readonly userId: string;
  readonly userName: string;
  readonly userEmail: string;
  readonly emailVerified: boolean;
  /** The membership the request acts under; null for a user without an organisation, or who has to name one. */
  readonly membership: ActiveMembership | null;
  /** The user has several organisations and named none of them. */
  readonly organisationRequired: boolean;
  /** The user is a member of organisations, and suspended in all of them. */
  readonly membershipSuspended: boolean;
  /** Only for a key. */
  readonly apiKeyId: string | null;
  readonly scopes: readonly string[];
  /** When the credential ends by itself; null: unknown here. */
  readonly expiresAt: Date | null;
}

export interface ActiveMembership {
  readonly organisationId: string;
  readonly level: PermissionLevel;
  /** The client group that what the caller does counts for. */
  readonly clientGroupId: string;
}

/** Which organisation a request wants to act in. Empty: it does not say. */
export interface OrganisationChoice {
  /** The token's `org_id` claim: followed when the user is a member of it, else as if absent (D12). */
  readonly claimed: string;
  /** The X-Organisation-Id header: the user must be a member of it. */
  readonly requested: string;
}

/** Whether what the user is suspended in makes a difference to what a request is told. */
export const asksWhereSuspended = (
  memberships: readonly ActiveMembership[],
  { claimed, requested }: OrganisationChoice,
): boolean =>
  memberships.length === 0 ||
  (requested !== '' && !memberships.some(({ organisationId }) => [claimed, requested].includes(organisationId)));

/**
 * The membership a request acts under (D12): of the organisation claimed, else requested, else the only one. Null: the user has
 * none, or several without saying which. FORBIDDEN: not an active member of the one requested; `suspendedIn`: organisations in which the
 * user is a member who is suspended.
 */
export function chooseMembership(
  memberships: readonly ActiveMembership[],
  { claimed, requested }: OrganisationChoice,
  suspendedIn: readonly string[] = [],
): ActiveMembership | null {
  const memberOf = (organisationId: string) => memberships.find((one) => one.organisationId === organisationId);
  const byClaim = memberOf(claimed);
  if (byClaim) return byClaim;
  if (requested !== '') {
    const byRequest = memberOf(requested);
    if (!byRequest) throw suspendedIn.includes(requested) ? membershipSuspended() : notAMember();
    return byRequest;
  }
  return memberships.length === 1 ? (memberships[0] ?? null) : null;
}

/** The caller a user is, acting under one of the memberships. FORBIDDEN: not an active member of the one requested. */
export function callerOfUser(
  user: User,
  memberships: readonly ActiveMembership[],
  wanted: OrganisationChoice,
  suspendedIn: readonly string[] = [],
): ResolvedCaller {
  const membership = chooseMembership(memberships, wanted, suspendedIn);
  return {
    userId: user.id,
    userName: user.name,
    userEmail: user.email,
    emailVerified: user.emailVerified,
    membership,
    organisationRequired: membership === null && memberships.length > 0,
    membershipSuspended: memberships.length === 0 && suspendedIn.length > 0,
    apiKeyId: null,
    scopes: [],
    expiresAt: null,
  };
}

/** All that decides whether a key works: the secret that was found, its key, and the creator's membership. */
export interface ApiKeyRecord {
  readonly apiKeyId: string;
  readonly organisationId: string;
  readonly scopes: readonly string[];
  /** The group the key names, or the default group when it names none, or one that is archived by now. */
  readonly clientGroupId: string;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** When this very secret was rotated out for good; null: not rotated out. */
  readonly secretValidUntil: Date | null;
  readonly creator: MemberUser & { readonly emailVerified: boolean };
  readonly creatorStatus: MemberStatus;
  /** The creator's level now, not when the key was made. */
  readonly creatorLevel: PermissionLevel;
}

/**
 * The caller a key stands for, as long as it works. UNAUTHENTICATED, always with the same words: unknown, expired,
 * revoked, rotated out, or its creator is no active member any more.
 */
export function callerOfApiKey(key: ApiKeyRecord | undefined, at: Date): ResolvedCaller {
  const ended = (end: Date | null) => end !== null && end <= at;
  if (
    !key ||
    key.revokedAt !== null ||
    ended(key.expiresAt) ||
    ended(key.secretValidUntil) ||
    key.creatorStatus !== 'active'
  ) {
    throw invalidToken();
  }
  return {
    userId: key.creator.id,
    userName: key.creator.name,
    userEmail: key.creator.email,
    emailVerified: key.creator.emailVerified,
    membership: {
      organisationId: key.organisationId,
      level: key.creatorLevel,
      clientGroupId: key.clientGroupId,
    },
    organisationRequired: false,
    membershipSuspended: false,
    apiKeyId: key.apiKeyId,
    scopes: key.scopes,
    expiresAt: earlier(key.expiresAt, key.secretValidUntil),
  };
}

const earlier = (one: Date | null, other: Date | null): Date | null =>
  one && other ? (one < other ? one : other) : (one ?? other);
