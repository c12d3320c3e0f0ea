import { apiKeyHash, newApiKey, shownApiKeyPrefix } from '@platform-backend/auth';
import { loadContract } from '@platform-backend/contract';
import { identityContract } from '@platform-backend/contract-identity';
import { newId, newUlid } from '@platform-backend/core';
import type { Compose } from '@platform-backend/service';
import { apiKeyHandlers } from './api-keys/api/api-key-handlers.ts';
import { apiKeyUseCases, type MadeApiKey } from './api-keys/app/api-keys.ts';
import { keyUses } from './api-keys/app/key-uses.ts';
import { apiKeysStore } from './api-keys/store/api-keys-store.ts';
import { auditHandlers } from './audit/api/audit-handlers.ts';
import { onAuditRecorded } from './audit/reactions/on-audit-recorded.ts';
import { auditLogStore } from './audit/store/audit-log-store.ts';
import { addForeignEntry } from './audit/store/record-events.ts';
import { authenticationHandlers } from './authentication/api/authentication-handlers.ts';
import { authenticationUseCases } from './authentication/app/authentication.ts';
import { credentialsStore } from './authentication/store/credentials-store.ts';
import { clientGroupHandlers } from './client-groups/api/client-group-handlers.ts';
import { clientGroupUseCases } from './client-groups/app/client-groups.ts';
import { clientGroupsStore } from './client-groups/store/client-groups-store.ts';
import { memberHandlers } from './members/api/member-handlers.ts';
import { memberUseCases } from './members/app/members.ts';
import { membersStore } from './members/store/members-store.ts';
import { organisationHandlers } from './organisations/api/organisation-handlers.ts';
import { organisationUseCases } from './organisations/app/organisations.ts';
import { organisationsStore } from './organisations/store/organisations-store.ts';
import type { service } from './service.ts';

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
