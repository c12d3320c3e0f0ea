import { callerOfApiKey, type ResolvedCaller } from '../../domain/authentication/resolved-caller.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** The caller a key stands for, by the key's SHA-256. */
export const resolveApiKey =
  ({ credentials, keyUses, clock }: IdentityParts) =>
  async (hash: Uint8Array): Promise<ResolvedCaller> => {
    const [found, at] = [await credentials.apiKeyByHash(hash), clock.now()];
    const caller = callerOfApiKey(found, at);
    if (found) keyUses.note({ organisationId: found.organisationId, apiKeyId: found.apiKeyId, at });
    return caller;
  };
