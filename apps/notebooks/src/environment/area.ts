import type { Area } from '@platform-backend/service';
import type { NotebooksContext, service } from '../service.ts';
import { environmentHandlers } from './api/environment-handlers.ts';
import { environmentUseCases } from './app/environment.ts';
import { environmentsStore, removeEnvironment } from './store/environments-store.ts';
import { valueCipher } from './store/value-cipher.ts';

/** The environment of an organisation's kernels: variables whose values nobody is told. */
export const environmentArea = ({ settings, storage, clock, logger }: NotebooksContext) => {
  const { NOTEBOOKS_SECRETS_KEY: key, NOTEBOOKS_SECRETS_KEY_OTHER: other } = settings;
  const app = environmentUseCases({
    environments: environmentsStore(storage.database),
    cipher: key === undefined ? undefined : valueCipher(key, ...(other === undefined ? [] : [other])),
    clock,
    logger,
  });
  return {
    handlers: { NotebookEnvironmentService: environmentHandlers(app) },
    removeOrganisation: removeEnvironment,
    exports: { environmentOf: (organisationId: string) => app.environmentOf(organisationId) },
  } satisfies Area<typeof service.declaration>;
};
