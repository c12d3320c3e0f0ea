import { secretBox, SecretUnreadable, type SecretBox } from '@platform-backend/core/secret-box';
import type { Area } from '@platform-backend/service';
import type { NotebooksContext, service } from '../service.ts';
import { environmentHandlers } from './api/environment-handlers.ts';
import { environmentUseCases } from './app/environment.ts';
import { valueContext, type ValueSeal } from './domain/environment.ts';
import { environmentsStore, removeEnvironment } from './store/environments-store.ts';

/** The environment of an organisation's kernels: variables whose values nobody is told. */
export const environmentArea = ({ settings, storage, clock, logger }: NotebooksContext) => {
  const { SECRETS_KEY: key, SECRETS_KEY_OTHER: otherKey } = settings;
  const app = environmentUseCases({
    environments: environmentsStore(storage.database),
    values: valueSeal(secretBox({ key, otherKey })),
    clock,
    logger,
  });
  return {
    handlers: { NotebookEnvironmentService: environmentHandlers(app) },
    removeOrganisation: removeEnvironment,
    exports: { environmentOf: (organisationId: string) => app.environmentOf(organisationId) },
  } satisfies Area<typeof service.declaration>;
};

const valueSeal = (box: SecretBox): ValueSeal => ({
  seal: (organisationId, name, value) => box.seal(value, valueContext(organisationId, name)),
  open(organisationId, name, sealed) {
    try {
      return box.open(sealed, valueContext(organisationId, name));
    } catch (error) {
      if (error instanceof SecretUnreadable) return undefined;
      throw error;
    }
  },
});
