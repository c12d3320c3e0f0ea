import type { Acting } from '../../domain/acting.ts';
import type { ApiKey } from '../../domain/api-keys/api-key.ts';
import { changeApiKey, type ChangeApiKey } from '../../domain/api-keys/change-api-key.ts';
import { requireKnownAreas } from '../../domain/api-keys/scopes.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Renames a key, changes when it expires, what it may reach or which client group it counts for. */
export const updateApiKey =
  ({ apiKeys, areas, clock }: IdentityParts) =>
  async (by: Acting, keyId: string, wanted: ChangeApiKey): Promise<ApiKey> => {
    const { clientGroupId = null, scopes = [] } = wanted;
    requireKnownAreas(scopes, areas);
    const at = clock.now();
    return apiKeys.update(by, { keyId, clientGroupId }, (key, group) => changeApiKey(key, wanted, by, at, group));
  };
