import type { Acting } from '../../domain/acting.ts';
import { rotateApiKey as decide } from '../../domain/api-keys/change-api-key.ts';
import type { IdentityParts } from '../identity-parts.ts';
import type { ApiKeyWithSecret } from './create-api-key.ts';

/** Gives a key a new secret; the old one works for `overlapSeconds` more. */
export const rotateApiKey =
  ({ apiKeys, clock, newApiKey }: IdentityParts) =>
  async (by: Acting, keyId: string, overlapSeconds: number): Promise<ApiKeyWithSecret> => {
    const [made, at] = [newApiKey(), clock.now()];
    const key = await apiKeys.update(by, { keyId }, (known) => decide(known, made, overlapSeconds, by, at));
    return { ...key, secret: made.key };
  };
