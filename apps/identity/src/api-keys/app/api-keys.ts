import {
  includesLevel,
  newId,
  type ActorContext,
  type Clock,
  type Page,
  type PageRequest,
} from '@platform-backend/core';
import { canManage, type ApiKey } from '../domain/api-key.ts';
import type { ApiKeys } from '../domain/api-keys.ts';
import {
  changeApiKey,
  createApiKey,
  revokeApiKey,
  rotateApiKey,
  type ChangeApiKey,
  type CreateApiKey,
  type NewSecret,
} from '../domain/change-api-key.ts';
import { apiKeyNotFound } from '../domain/errors.ts';
import { requireKnownAreas } from '../domain/scopes.ts';

/** A key that has just been made, together with what is kept of it. */
export interface GeneratedApiKey extends NewSecret {
  /** The key itself: answered once, stored nowhere. */
  readonly key: string;
}

/** A key together with its secret, on its one and only way out. */
export interface ApiKeyWithSecret extends ApiKey {
  readonly secret: string;
}

export interface ApiKeyPorts {
  readonly apiKeys: ApiKeys;
  /** The areas that scopes may name. */
  readonly areas: ReadonlySet<string>;
  readonly clock: Clock;
  readonly newApiKey: () => GeneratedApiKey;
}

export type ApiKeyUseCases = ReturnType<typeof apiKeyUseCases>;

export const apiKeyUseCases = ({ apiKeys, areas, clock, newApiKey }: ApiKeyPorts) => ({
  /** Makes a key that acts for the caller in the caller's organisation. */
  async createApiKey(by: ActorContext, wanted: Omit<CreateApiKey, 'id'>): Promise<ApiKeyWithSecret> {
    requireKnownAreas(wanted.scopes, areas);
    const [id, made] = [newId(), newApiKey()];
    const key = await apiKeys.add(by, wanted.clientGroupId, (member, group) =>
      createApiKey(member, { ...wanted, id }, made, clock.now(), group),
    );
    return { ...key, secret: made.key };
  },

  /** The caller's own keys; with level ADMIN every key of the organisation. */
  listApiKeys: ({ organisationId, actor }: ActorContext, page: PageRequest): Promise<Page<ApiKey>> =>
    apiKeys.list(organisationId, includesLevel(actor.level, 'ADMIN') ? undefined : (actor.userId ?? ''), page),

  /** A key that the caller may see. */
  async getApiKey(by: ActorContext, keyId: string): Promise<ApiKey> {
    const key = await apiKeys.get(by.organisationId, keyId);
    if (!canManage(key, by)) throw apiKeyNotFound();
    return key;
  },

  /** Renames a key, changes when it expires, what it may reach or which client group it counts for. */
  async updateApiKey(by: ActorContext, keyId: string, wanted: ChangeApiKey): Promise<ApiKey> {
    const { clientGroupId = null, scopes = [] } = wanted;
    requireKnownAreas(scopes, areas);
    return apiKeys.update(by, { keyId, clientGroupId }, (key, group) =>
      changeApiKey(key, wanted, by, clock.now(), group),
    );
  },

  /** Gives a key a new secret; the old one works for `overlapSeconds` more. */
  async rotateApiKey(by: ActorContext, keyId: string, overlapSeconds: number): Promise<ApiKeyWithSecret> {
    const made = newApiKey();
    const key = await apiKeys.update(by, { keyId }, (known) =>
      rotateApiKey(known, made, overlapSeconds, by, clock.now()),
    );
    return { ...key, secret: made.key };
  },

  /** Ends a key at once and for good. */
  revokeApiKey: (by: ActorContext, keyId: string) =>
    apiKeys.update(by, { keyId }, (key) => revokeApiKey(key, by, clock.now())),
});
