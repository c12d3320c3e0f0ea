import type { Acting } from '../../domain/acting.ts';
import type { ApiKey } from '../../domain/api-keys/api-key.ts';
import { revokeApiKey as decide } from '../../domain/api-keys/change-api-key.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Ends a key at once and for good. */
export const revokeApiKey =
  ({ apiKeys, clock }: IdentityParts) =>
  (by: Acting, keyId: string): Promise<ApiKey> => {
    const at = clock.now();
    return apiKeys.update(by, { keyId }, (key) => decide(key, by, at));
  };
