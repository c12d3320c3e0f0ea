import { identityContract } from '@platform-backend/contract-identity';
import type { AuditRecorded } from '@platform-backend/contract-identity/events';
import { integer, type EventPattern } from '@platform-backend/core';
import { postgres } from '@platform-backend/postgres/storage';
import { defineService } from '@platform-backend/service';
import { constraintErrors } from './store/constraint-errors.ts';

/** Of every service that there is or will be. */
const auditRecorded: EventPattern<'platform.v1.*.audit.recorded', AuditRecorded> = 'platform.v1.*.audit.recorded';

export const service = defineService({
  name: 'identity',
  contract: identityContract,
  port: 5001,
  settings: {
    IDENTITY_AUTHENTICATION_POOL: integer({
      default: 4,
      min: 1,
      max: 100,
      description: 'connections besides, only for asking who calls',
    }),
    IDENTITY_KEY_USE_FLUSH_SECONDS: integer({
      default: 10,
      min: 1,
      max: 3600,
      description: 'how often the last use of API keys is written',
    }),
  },
  storage: postgres({ migrations: new URL('../migrations/', import.meta.url), constraintErrors: constraintErrors }),
  calls: {},
  events: { publishes: true, follows: [], reactions: { 'identity-on-audit-recorded': auditRecorded } },
});
