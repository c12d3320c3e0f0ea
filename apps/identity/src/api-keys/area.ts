import { apiKeyHash, newApiKey, shownApiKeyPrefix } from '@platform-backend/auth';
import { loadContract } from '@platform-backend/contract';
import { identityContract } from '@platform-backend/contract-identity';
import { always, type Area } from '@platform-backend/service';
import type { IdentityContext, service } from '../service.ts';
import { apiKeyHandlers } from './api/api-key-handlers.ts';
import { apiKeyUseCases, type GeneratedApiKey } from './app/api-keys.ts';
import { keyUses } from './app/key-uses.ts';
import { apiKeysStore } from './store/api-keys-store.ts';

export type ApiKeysExports = ReturnType<typeof apiKeysArea>['exports'];

/** API keys: made, narrowed, rotated and revoked, and when each was last used. */
export const apiKeysArea = ({ settings, storage, clock, logger, defer }: IdentityContext) => {
  const apiKeys = apiKeysStore(storage.database);
  const { areas } = loadContract(identityContract);
  const uses = keyUses(apiKeys, logger);
  defer(() => uses.flush());
  return {
    handlers: {
      ApiKeyService: apiKeyHandlers(apiKeyUseCases({ apiKeys, areas, clock, newApiKey: makeApiKey })),
    },
    jobs: [
      {
        name: 'the writing of last uses of keys',
        everyMs: settings.IDENTITY_KEY_USE_FLUSH_SECONDS * 1000,
        run: () => uses.flush(),
        untilDueMs: always,
      },
    ],
    exports: { uses },
  } satisfies Area<typeof service.declaration>;
};

function makeApiKey(): GeneratedApiKey {
  const key = newApiKey();
  return { key, hash: apiKeyHash(key).toString('hex'), prefix: shownApiKeyPrefix(key) };
}
