import { billingContract } from '@platform-backend/contract-billing';
import { contentContract } from '@platform-backend/contract-content';
import { identityContract, identityEvents } from '@platform-backend/contract-identity';
import { notebooksContract } from '@platform-backend/contract-notebooks';
import { pipelinesContract, pipelinesEvents } from '@platform-backend/contract-pipelines';
import { postgres } from '@platform-backend/postgres/storage';
import { defineService, type ServiceContext } from '@platform-backend/service';
import { connectionSettings } from './connections/settings.ts';
import { creditSettings } from './credits/settings.ts';
import { datasetSettings } from './datasets/settings.ts';
import { constraintErrors } from './datasets/store/constraint-errors.ts';
import { notificationSettings } from './notifications/settings.ts';
import { runSettings } from './runs/settings.ts';
import { scheduleSettings } from './schedules/settings.ts';
import { stepEngineSettings } from './step-engine/settings.ts';
import { stepSettings } from './steps/settings.ts';
import { webhookSettings } from './webhooks/settings.ts';

export const service = defineService({
  name: 'pipelines',
  contract: pipelinesContract,
  port: 5004,
  settings: {
    ...creditSettings,
    ...stepEngineSettings,
    ...connectionSettings,
    ...datasetSettings,
    ...scheduleSettings,
    ...stepSettings,
    ...runSettings,
    ...notificationSettings,
    ...webhookSettings,
  },
  storage: postgres({ migrations: new URL('../migrations/', import.meta.url), constraintErrors }),
  // What has been fired is not fired again.
  restoresOrganisations: { kept: ['schedule_fires'] },
  sealedSecrets: async () => ({
    webhooks: (await import('./webhooks/store/reseal-webhooks.ts')).resealWebhooks,
    'HTTP steps': (await import('./pipelines/store/reseal-http-steps.ts')).resealHttpSteps,
    connections: (await import('./connections/store/reseal-connections.ts')).resealConnections,
  }),
  calls: { billing: billingContract, identity: identityContract },
  callsIfThere: { content: contentContract, notebooks: notebooksContract },
  events: {
    publishes: true,
    follows: [],
    queues: ['steps', 'kernel-steps'],
    reactions: {
      'pipelines-on-dataset-updated': pipelinesEvents('dataset.updated'),
      'pipelines-on-organisation-deleted': identityEvents('organisation.deleted'),
    },
  },
});

/** What its areas are put together from. */
export type PipelinesContext = ServiceContext<typeof service.declaration>;
