import { billingContract } from '@platform-backend/contract-billing';
import { contentContract } from '@platform-backend/contract-content';
import { identityContract, identityEvents } from '@platform-backend/contract-identity';
import { notebooksContract } from '@platform-backend/contract-notebooks';
import { pipelinesContract, pipelinesEvents } from '@platform-backend/contract-pipelines';
import { integer } from '@platform-backend/core';
import { postgres } from '@platform-backend/postgres/storage';
import { defineService } from '@platform-backend/service';
import { constraintErrors } from './store/constraint-errors.ts';
import { datasetSettings } from './wiring/dataset-settings.ts';
import { notificationSettings } from './wiring/notification-settings.ts';
import { runSettings } from './wiring/run-settings.ts';

export const service = defineService({
  name: 'pipelines',
  contract: pipelinesContract,
  port: 5004,
  settings: {
    ...datasetSettings,
    ...runSettings,
    PIPELINES_SCHEDULE_SECONDS: integer({
      default: 1,
      min: 1,
      max: 60,
      description: 'how often schedules are looked at',
    }),
    ...notificationSettings,
  },
  storage: postgres({ migrations: new URL('../migrations/', import.meta.url), constraintErrors: constraintErrors }),
  calls: { billing: billingContract, identity: identityContract },
  callsIfThere: { content: contentContract, notebooks: notebooksContract },
  events: {
    publishes: true,
    follows: [],
    queues: ['steps'],
    reactions: {
      'pipelines-on-dataset-updated': pipelinesEvents('dataset.updated'),
      'pipelines-on-organisation-deleted': identityEvents('organisation.deleted'),
    },
  },
});
