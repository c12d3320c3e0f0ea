import { billingContract } from '@platform-backend/contract-billing';
import { identityEvents } from '@platform-backend/contract-identity';
import { notebooksContract } from '@platform-backend/contract-notebooks';
import { pipelinesContract } from '@platform-backend/contract-pipelines';
import { secretSettings } from '@platform-backend/core/secret-box';
import { postgres } from '@platform-backend/postgres/storage';
import { defineService, type ServiceContext } from '@platform-backend/service';
import { folderSettings } from './folders/settings.ts';
import { kernelSettings } from './kernels/settings.ts';
import { notebookRunSettings } from './notebook-runs/settings.ts';
import { notebookConstraintErrors } from './notebooks/store/constraint-errors.ts';

export const service = defineService({
  name: 'notebooks',
  contract: notebooksContract,
  port: 5005,
  settings: { ...kernelSettings, ...folderSettings, ...secretSettings, ...notebookRunSettings },
  storage: postgres({
    migrations: new URL('../migrations/', import.meta.url),
    constraintErrors: notebookConstraintErrors,
  }),
  restoresOrganisations: { kept: [] },
  sealedSecrets: async () => ({
    'environment variables': (await import('./environment/store/reseal-environments.ts')).resealEnvironments,
  }),
  calls: { billing: billingContract },
  // Which has notebooks run in turn: either starts without the other.
  callsIfThere: { pipelines: pipelinesContract },
  events: {
    publishes: true,
    follows: [],
    reactions: { 'notebooks-on-organisation-deleted': identityEvents('organisation.deleted') },
  },
});

/** What its areas are put together from. */
export type NotebooksContext = ServiceContext<typeof service.declaration>;
