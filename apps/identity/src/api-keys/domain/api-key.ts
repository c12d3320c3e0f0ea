import { includesLevel, type ActorContext, type Fields } from '@platform-backend/core';
import type { ClientGroup } from '../../client-groups/domain/client-group.ts';

/** One secret of a key; only its SHA-256 is known here. */
export interface ApiKeySecret {
  /** SHA-256 of the whole key, 32 bytes in lower-case hex. */
  readonly hash: string;
  /** When a rotated-out secret stops working; null: not rotated out. */
  readonly validUntil: Date | null;
}

/**
 * A key that acts for one membership. It dies with the membership: a person who is removed and invited again
 * has new keys to make.
 */
export interface ApiKey {
  readonly id: string;
  readonly memberId: string;
  /** The user the key acts for. */
  readonly userId: string;
  readonly name: string;
  /** The first characters of the newest secret, to recognise it by. */
  readonly prefix: string;
  /** `<area or *>:<read, write or admin>`; an empty list opens nothing. */
  readonly scopes: readonly string[];
  /** Whose policy and usage its requests count against; null: the default group, whichever that is. */
  readonly clientGroupId: string | null;
  /** Null: never. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** To the minute; null: never used. */
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  /** Newest first; the former ones until their overlap ends. Empty once revoked. */
  readonly secrets: readonly ApiKeySecret[];
}

/** What matters of a client group that a key is to name. */
export type NamedClientGroup = Pick<ClientGroup, 'archived'>;

/** An API key as the audit log shows it: nothing that could help to guess it. */
export const apiKeyFields = (key: ApiKey): Fields => ({
  name: key.name,
  key_prefix: key.prefix,
  scopes: key.scopes,
  client_group_id: key.clientGroupId,
  expires_at: key.expiresAt?.toISOString() ?? null,
});

/** Below level ADMIN one sees and changes one's own keys alone; others do not exist for one. */
export const canManage = (key: Pick<ApiKey, 'userId'>, { actor }: ActorContext): boolean =>
  key.userId === actor.userId || includesLevel(actor.level, 'ADMIN');

/** Whether it is the creator who acts, in person: a key is not its creator. */
export const isCreator = (key: Pick<ApiKey, 'userId'>, { actor }: ActorContext): boolean =>
  actor.type === 'user' && key.userId === actor.userId;
