import { identityContract } from '@platform-backend/contract-identity';
import type { AuditRecorded } from '@platform-backend/contract-identity/events';
import type { EventPattern } from '@platform-backend/core';
import { postgres } from '@platform-backend/postgres/storage';
import { defineService, type ServiceContext } from '@platform-backend/service';
import { apiKeySettings } from './api-keys/settings.ts';
import { authenticationSettings } from './authentication/settings.ts';
import { clientGroupConstraintErrors } from './client-groups/store/constraint-errors.ts';
import { memberConstraintErrors } from './members/store/constraint-errors.ts';

/** Of every service that there is or will be. */
const auditRecorded: EventPattern<'platform.v1.*.audit.recorded', AuditRecorded> = 'platform.v1.*.audit.recorded';

export const service = defineService({
  name: 'identity',
  contract: identityContract,
  port: 5001,
  settings: { ...apiKeySettings, ...authenticationSettings },
  storage: postgres({
    migrations: new URL('../migrations/', import.meta.url),
    constraintErrors: { ...memberConstraintErrors, ...clientGroupConstraintErrors },
  }),
  calls: {},
  events: { publishes: true, follows: [], reactions: { 'identity-on-audit-recorded': auditRecorded } },
});

/** What its areas are put together from. */
export type IdentityContext = ServiceContext<typeof service.declaration>;
