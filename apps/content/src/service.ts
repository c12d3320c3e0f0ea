import { billingContract } from '@platform-backend/contract-billing';
import { contentContract } from '@platform-backend/contract-content';
import { identityEvents } from '@platform-backend/contract-identity';
import { pipelinesContract } from '@platform-backend/contract-pipelines';
import { readConfiguration } from '@platform-backend/core';
import { mongo } from '@platform-backend/mongo/storage';
import { defineService } from '@platform-backend/service';
import { constraintErrors } from './assistants/store/constraint-errors.ts';
import { documentSettings } from './wiring/document-settings.ts';
import { engineSettings } from './wiring/engine-settings.ts';
import { languageModelSettings } from './wiring/language-model-settings.ts';
import { searchSettings } from './wiring/search-settings.ts';

export const service = defineService({
  name: 'content',
  contract: contentContract,
  port: 5003,
  settings: { ...engineSettings, ...languageModelSettings, ...searchSettings, ...documentSettings },
  storage: mongo({
    collections: () => import('./store/collections.ts').then(({ collections }) => collections),
    constraintErrors: constraintErrors,
  }),
  calls: { billing: billingContract, pipelines: pipelinesContract },
  events: {
    publishes: true,
    follows: [],
    reactions: { 'content-on-organisation-deleted': identityEvents('organisation.deleted') },
  },
  development: {
    // Whoever reads this declaration loads no engine with it.
    notice: async (env) => {
      const { engineNotice } = await import('./wiring/engine-notices.ts');
      return engineNotice(readConfiguration(env, engineSettings));
    },
  },
});
