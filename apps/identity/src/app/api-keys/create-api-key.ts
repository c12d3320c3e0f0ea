import type { Acting } from '../../domain/acting.ts';
import type { ApiKey } from '../../domain/api-keys/api-key.ts';
import { createApiKey as decide, type CreateApiKey } from '../../domain/api-keys/change-api-key.ts';
import { requireKnownAreas } from '../../domain/api-keys/scopes.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** A key together with its secret, on its one and only way out. */
export interface ApiKeyWithSecret extends ApiKey {
  readonly secret: string;
}

/** Makes a key that acts for the caller in the caller's organisation. */
export const createApiKey =
  ({ apiKeys, areas, clock, newId, newApiKey }: IdentityParts) =>
  async (by: Acting, wanted: Omit<CreateApiKey, 'id'>): Promise<ApiKeyWithSecret> => {
    requireKnownAreas(wanted.scopes, areas);
    const [id, made, at] = [newId(), newApiKey(), clock.now()];
    const key = await apiKeys.add(by, wanted.clientGroupId, (member, group) =>
      decide(member, { ...wanted, id }, made, at, group),
    );
    return { ...key, secret: made.key };
  };
