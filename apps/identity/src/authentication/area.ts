import type { Area } from '@platform-backend/service';
import type { ApiKeysExports } from '../api-keys/area.ts';
import type { IdentityContext, service } from '../service.ts';
import { authenticationHandlers } from './api/authentication-handlers.ts';
import { authenticationUseCases } from './app/authentication.ts';
import { credentialsStore } from './store/credentials-store.ts';

/** Authentication: whom a verified token or an API key stands for, and in which organisation. */
export const authenticationArea = (
  { settings, storage, clock }: IdentityContext,
  { apiKeys }: { readonly apiKeys: ApiKeysExports },
) => {
  // Who calls is asked before every request of everybody: it waits for nothing that organisations do.
  const credentials = credentialsStore(storage.pool('authentication', settings.IDENTITY_AUTHENTICATION_POOL));
  const useCases = authenticationUseCases({ credentials, keyUses: apiKeys.uses, clock });
  return {
    handlers: { AuthenticationService: authenticationHandlers(useCases) },
    jobs: [
      {
        name: 'the forgetting of ended sessions',
        everyMs: 60 * 60 * 1000,
        run: async () => {
          await useCases.forgetEndedSessions();
        },
      },
    ],
    exports: {},
  } satisfies Area<typeof service.declaration>;
};
