import { apiKeyHash, newApiKey, shownApiKeyPrefix } from '@platform-backend/auth';
import { loadContract } from '@platform-backend/contract';
import { identityContract } from '@platform-backend/contract-identity';
import { newId, newUlid } from '@platform-backend/core';
import type { Compose } from '@platform-backend/service';
import { apiKeyHandlers } from './api/api-key-handlers.ts';
import { auditHandlers } from './api/audit-handlers.ts';
import { authenticationHandlers } from './api/authentication-handlers.ts';
import { clientGroupHandlers } from './api/client-group-handlers.ts';
import { memberHandlers } from './api/member-handlers.ts';
import { organisationHandlers } from './api/organisation-handlers.ts';
import { apiKeyUseCases, type MadeApiKey } from './app/api-keys.ts';
import { authenticationUseCases } from './app/authentication.ts';
import { clientGroupUseCases } from './app/client-groups.ts';
import { keyUses } from './app/key-uses.ts';
import { memberUseCases } from './app/members.ts';
import { organisationUseCases } from './app/organisations.ts';
import { onAuditRecorded } from './reactions/on-audit-recorded.ts';
import type { service } from './service.ts';
import { apiKeysStore } from './store/api-keys-store.ts';
import { auditLogStore } from './store/audit-log-store.ts';
import { clientGroupsStore } from './store/client-groups-store.ts';
import { credentialsStore } from './store/credentials-store.ts';
import { membersStore } from './store/members-store.ts';
import { organisationsStore } from './store/organisations-store.ts';
import { addForeignEntry } from './store/record-events.ts';

/** Puts the service together from its parts. The only place that knows which implementation is used. */
export const compose: Compose<typeof service.declaration> = ({ settings, storage, clock, logger, defer }) => {
  const { database } = storage;
  // Who calls is asked before every request of everybody: it waits for nothing that organisations do.
  const authentication = storage.pool('authentication', settings.IDENTITY_AUTHENTICATION_POOL);
  const organisations = organisationsStore(database);
  const members = membersStore(database);
  const clientGroups = clientGroupsStore(database);
  const apiKeys = apiKeysStore(database);
  const credentials = credentialsStore(authentication);
  const { areas } = loadContract(identityContract);
  const newOrganisationId = () => newUlid('org_', clock.now());
  const uses = keyUses(apiKeys, logger);
  defer(() => uses.flush());
  return {
    handlers: {
      ApiKeyService: apiKeyHandlers(apiKeyUseCases({ apiKeys, areas, clock, newId, newApiKey: makeApiKey })),
      AuditService: auditHandlers(auditLogStore(database)),
      AuthenticationService: authenticationHandlers(
        authenticationUseCases({ credentials, keyUses: uses, clock, newId }),
      ),
      ClientGroupService: clientGroupHandlers(clientGroupUseCases({ clientGroups, clock, newId }), clock),
      MemberService: memberHandlers(memberUseCases({ members, clock, newId })),
      OrganisationService: organisationHandlers(
        organisationUseCases({ organisations, members, clock, newId, newOrganisationId }),
      ),
    },
    reactions: { 'identity-on-audit-recorded': onAuditRecorded(addForeignEntry) },
    jobs: [
      {
        name: 'the writing of last uses of keys',
        everyMs: settings.IDENTITY_KEY_USE_FLUSH_SECONDS * 1000,
        run: () => uses.flush(),
      },
    ],
  };
};

function makeApiKey(): MadeApiKey {
  const key = newApiKey();
  return { key, hash: apiKeyHash(key).toString('hex'), prefix: shownApiKeyPrefix(key) };
}
