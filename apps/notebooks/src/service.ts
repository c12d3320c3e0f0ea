import { billingContract } from '@platform-backend/contract-billing';
import { identityEvents } from '@platform-backend/contract-identity';
import { notebooksContract } from '@platform-backend/contract-notebooks';
import { postgres } from '@platform-backend/postgres/storage';
import { defineService } from '@platform-backend/service';
import { kernelSettings } from './kernels/settings.ts';
import { constraintErrors } from './notebooks/store/constraint-errors.ts';

export const service = defineService({
  name: 'notebooks',
  contract: notebooksContract,
  port: 5005,
  settings: kernelSettings,
  storage: postgres({ migrations: new URL('../migrations/', import.meta.url), constraintErrors: constraintErrors }),
  calls: { billing: billingContract },
  events: {
    publishes: true,
    follows: [],
    reactions: { 'notebooks-on-organisation-deleted': identityEvents('organisation.deleted') },
  },
});
