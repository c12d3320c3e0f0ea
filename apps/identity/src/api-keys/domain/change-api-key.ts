import {
  type ActorContext,
  decided,
  type Decision,
  includesLevel,
  invalidField,
  levelRequired,
  type PermissionLevel,
  unchanged,
} from '@platform-backend/core';
import { clientGroupIsArchived, clientGroupNotFound } from '../../client-groups/domain/errors.ts';
import type { IdentityEvent } from '../../events.ts';
import { memberNotFound } from '../../members/domain/errors.ts';
import type { Member } from '../../members/domain/member.ts';
import { apiKeyCreated, apiKeyRevoked, apiKeyRotated, apiKeyUpdated } from './api-key-events.ts';
import { isCreator, canManage, type ApiKey, type NamedClientGroup } from './api-key.ts';
import { apiKeyNotFound, notYourApiKey, tooManySecrets } from './errors.ts';
import { includesScopes } from './scopes.ts';

/** What may be known of a secret that has just been made. */
export interface NewSecret {
  readonly hash: string;
  readonly prefix: string;
}

/** How many that were rotated out work at a time: whoever rotates again and again keeps no more of them. */
const MAX_FORMER_SECRETS = 10;

export type CreateApiKey = Pick<ApiKey, 'id' | 'name' | 'scopes' | 'expiresAt' | 'clientGroupId'>;

/**
 * Makes a key that acts for a member. INVALID: it would be expired from the start. With a client group, `group` being
 * what is known of it: FORBIDDEN below level ADMIN, NOT_FOUND, CONFLICT when it is archived.
 */
export function createApiKey(
  member: Member,
  wanted: CreateApiKey,
  secret: NewSecret,
  at: Date,
  group?: NamedClientGroup,
): Decision<ApiKey, IdentityEvent> {
  if (member.user === null || member.status !== 'active') throw memberNotFound();
  requireFuture(wanted.expiresAt, at);
  if (wanted.clientGroupId !== null) {
    requireDecidesOnGroups(member.level);
    requireLive(group);
  }
  const key: ApiKey = {
    id: wanted.id,
    memberId: member.id,
    userId: member.user.id,
    name: wanted.name,
    prefix: secret.prefix,
    scopes: wanted.scopes,
    clientGroupId: wanted.clientGroupId,
    expiresAt: wanted.expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: at,
    secrets: [{ hash: secret.hash, validUntil: null }],
  };
  return decided(key, apiKeyCreated(key, at));
}

export type ChangeApiKey = Partial<Pick<ApiKey, 'name' | 'scopes' | 'expiresAt' | 'clientGroupId'>>;

/**
 * Changes the fields given. NOT_FOUND: revoked, or not this caller's to see. FORBIDDEN: somebody else than the creator
 * does more than lower it. INVALID: an end in the past. With another client group than before, even the default one: as
 * when a key is made.
 */
export function changeApiKey(
  key: ApiKey,
  wanted: ChangeApiKey,
  by: ActorContext,
  at: Date,
  group?: NamedClientGroup,
): Decision<ApiKey, IdentityEvent> {
  requireHandled(key, by);
  if (!lowers(key, wanted)) requireCreator(key, by);
  if (wanted.expiresAt !== undefined) requireFuture(wanted.expiresAt, at);
  if (wanted.clientGroupId !== undefined && wanted.clientGroupId !== key.clientGroupId) {
    requireDecidesOnGroups(by.actor.level);
    if (wanted.clientGroupId !== null) requireLive(group);
  }
  const next: ApiKey = { ...key, ...wanted };
  const events = apiKeyUpdated(key, next, at);
  return events.length === 0 ? unchanged(key) : { state: next, events, result: next };
}

/**
 * Gives a key a new secret. The present one works for `overlapSeconds` more; one that was rotated out earlier
 * keeps its own, earlier end. The new secret is its creator's alone. NOT_FOUND: revoked, or not this caller's to see.
 * FORBIDDEN: not its creator. CONFLICT: as many former secrets work as may.
 */
export function rotateApiKey(
  key: ApiKey,
  secret: NewSecret,
  overlapSeconds: number,
  by: ActorContext,
  at: Date,
): Decision<ApiKey, IdentityEvent> {
  requireHandled(key, by);
  requireCreator(key, by);
  const end = new Date(at.getTime() + overlapSeconds * 1000);
  const former = key.secrets
    .map(({ hash, validUntil }) => ({ hash, validUntil: validUntil !== null && validUntil < end ? validUntil : end }))
    .filter(({ validUntil }) => validUntil > at);
  if (former.length > MAX_FORMER_SECRETS) throw tooManySecrets({ max: MAX_FORMER_SECRETS });
  const rotated: ApiKey = {
    ...key,
    prefix: secret.prefix,
    secrets: [{ hash: secret.hash, validUntil: null }, ...former],
  };
  return decided(rotated, apiKeyRotated(key, rotated, end, at));
}

/** Ends a key at once and for good. NOT_FOUND: revoked already, or not this caller's to see. */
export function revokeApiKey(key: ApiKey, by: ActorContext, at: Date): Decision<ApiKey, IdentityEvent> {
  requireHandled(key, by);
  const revoked: ApiKey = { ...key, revokedAt: at, secrets: [] };
  return decided(revoked, apiKeyRevoked(key, at));
}

function requireHandled(key: ApiKey, by: ActorContext): void {
  if (key.revokedAt !== null || !canManage(key, by)) throw apiKeyNotFound();
}

/**
 * A key acts in its creator's name: nobody else may make it reach further than its creator meant it to, nor hold its
 * secret.
 */
function requireCreator(key: ApiKey, by: ActorContext): void {
  if (isCreator(key, by)) return;
  throw notYourApiKey();
}

/** Whether the key can do no more than before, under the same name. Its client group makes it neither more nor less. */
const lowers = (
  key: ApiKey,
  { name = key.name, scopes = key.scopes, expiresAt = key.expiresAt }: ChangeApiKey,
): boolean =>
  name === key.name &&
  (scopes === key.scopes || includesScopes(key.scopes, scopes)) &&
  (key.expiresAt === null || (expiresAt !== null && expiresAt <= key.expiresAt));

/** Which client group a key counts for decides which limits hold for it. */
function requireDecidesOnGroups(level: PermissionLevel | null): void {
  if (!includesLevel(level, 'ADMIN')) throw levelRequired({ level: 'ADMIN' });
}

function requireLive(group: NamedClientGroup | undefined): void {
  if (!group) throw clientGroupNotFound();
  if (group.archived) throw clientGroupIsArchived();
}

function requireFuture(expiresAt: Date | null, at: Date): void {
  if (expiresAt === null || expiresAt > at) return;
  const error = 'must be in the future';
  throw invalidField(['body', 'expires_at'], error, expiresAt.toISOString(), { error });
}
