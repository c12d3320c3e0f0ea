import { notFound } from '@platform/core';
import type { Acting } from '../../domain/acting.ts';
import { mayHandle, type ApiKey } from '../../domain/api-keys/api-key.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** A key that the caller may see. */
export const getApiKey =
  ({ apiKeys }: IdentityParts) =>
  async (by: Acting, keyId: string): Promise<ApiKey> => {
    const key = await apiKeys.get(by.organisationId, keyId);
    if (!mayHandle(key, by)) throw notFound('API key');
    return key;
  };
