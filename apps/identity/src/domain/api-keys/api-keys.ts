import type { Acting } from '../acting.ts';
import type { Decision } from '../identity-event.ts';
import type { Member } from '../members/member.ts';
import type { Page, PageRequest } from '@platform/core';
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

/** Where API keys are kept. Every change commits together with its events and audit entries, or not at all. */
export interface ApiKeys {
  /**
   * `decide` sees the actor's own locked membership, and the locked client group of this id if there is one.
   * NOT_FOUND: not a member any more.
   */
  add(
    by: Acting,
    clientGroupId: string | null,
    decide: (member: Member, group: NamedClientGroup | undefined) => Decision<ApiKey>,
  ): Promise<ApiKey>;
  /**
   * `decide` sees both locked, the client group if there is one of this id, and is synchronous: nothing can wait on a
   * network meanwhile. NOT_FOUND: no such key.
   */
  update<Result>(
    by: Acting,
    wanted: KeyAndGroup,
    decide: (key: ApiKey, group: NamedClientGroup | undefined) => Decision<ApiKey, Result>,
  ): Promise<Result>;
  /** NOT_FOUND: none, or revoked. */
  get(organisationId: string, keyId: string): Promise<ApiKey>;
  /** Without revoked keys, newest first; `userId` leaves only that user's. */
  list(organisationId: string, userId: string | undefined, page: PageRequest): Promise<Page<ApiKey>>;
  /** Moves `last_used_at` forward; never back, and never for a key that is gone. */
  recordUses(uses: readonly KeyUse[]): Promise<void>;
}
