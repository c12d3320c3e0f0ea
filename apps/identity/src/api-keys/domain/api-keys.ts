import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import type { Member } from '../../members/domain/member.ts';
import type { ApiKey, NamedClientGroup } from './api-key.ts';

/** When a key was last used. */
export interface KeyUse {
  readonly organisationId: string;
  readonly apiKeyId: string;
  readonly at: Date;
}

/** What a change of a key is about: the key, and the client group it is to name. */
export interface KeyAndGroup {
  readonly keyId: string;
  readonly clientGroupId?: string | null;
}

/**
 * Where API keys are kept. Every change commits together with its events and audit entries, or not at all. What `decide`
 * sees is locked, and it is synchronous: nothing can wait on a network meanwhile.
 */
export interface ApiKeys {
  /** `decide` sees the actor's own membership, and the client group of this id if there is one. NOT_FOUND: no member. */
  readonly add: (
    by: ActorContext,
    clientGroupId: string | null,
    decide: (member: Member, group: NamedClientGroup | undefined) => Decision<ApiKey, IdentityEvent>,
  ) => Promise<ApiKey>;
  /** `decide` sees the key, and the client group if there is one of this id. NOT_FOUND: no such key. */
  readonly update: (
    by: ActorContext,
    wanted: KeyAndGroup,
    decide: (key: ApiKey, group: NamedClientGroup | undefined) => Decision<ApiKey, IdentityEvent>,
  ) => Promise<ApiKey>;
  /** NOT_FOUND: none, or revoked. */
  readonly get: (organisationId: string, keyId: string) => Promise<ApiKey>;
  /** Without revoked keys, newest first; `userId` leaves only that user's. */
  readonly list: (organisationId: string, userId: string | undefined, page: PageRequest) => Promise<Page<ApiKey>>;
  /** Moves `last_used_at` forward; never back, and never for a key that is gone. */
  readonly recordUses: (uses: readonly KeyUse[]) => Promise<void>;
}
