import { apiKeyHash, assertionVerifier, newApiKey, shownApiKeyPrefix } from '@platform/auth';
import { loadContract } from '@platform/contract';
import {
  newId,
  newUlid,
  systemClock,
  type Clock,
  type Logger,
  type RunningService,
  type ServiceEnvironment,
} from '@platform/core';
import { createMetrics } from '@platform/core/metrics';
import { openEventBus, postgresOutbox, startRelay } from '@platform/events';
import { countCalls, startGrpcServer, tlsFrom, type ServedService } from '@platform/grpc';
import { openDatabase, requireRestrictedRole, type Database } from '@platform/postgres';
import { apiKeyHandlers } from './api/api-key-handlers.ts';
import { auditHandlers } from './api/audit-handlers.ts';
import { authenticationHandlers } from './api/authentication-handlers.ts';
import { clientGroupHandlers } from './api/client-group-handlers.ts';
import { memberHandlers } from './api/member-handlers.ts';
import { organisationHandlers } from './api/organisation-handlers.ts';
import { keyUses } from './app/authentication/key-uses.ts';
import { identityApp, type IdentityApp } from './app/identity-app.ts';
import type { IdentityParts, MadeApiKey } from './app/identity-parts.ts';
import type { Config } from './config.ts';
import { eventAccess } from './event-access.ts';
import { apiKeysStore } from './store/api-keys-store.ts';
import { auditLogStore } from './store/audit-log-store.ts';
import { clientGroupsStore } from './store/client-groups-store.ts';
import { credentialsStore } from './store/credentials-store.ts';
import { membersStore } from './store/members-store.ts';
import { organisationsStore } from './store/organisations-store.ts';
import { refusals } from './store/refusals.ts';

/** Builds the service from its parts and starts it. The only place that knows which implementation is used. */
export async function startIdentity({
  config,
  logger,
  accessLog,
  clock = systemClock,
}: ServiceEnvironment<Config>): Promise<RunningService> {
  // Closed in the reverse order, also when one of them cannot be started: the server first, the database last.
  const running = new AsyncDisposableStack();
  try {
    const metrics = createMetrics();
    const metricsPage = await metrics.serve(config.METRICS_LISTEN);
    running.defer(() => metricsPage.close());
    const connecting = {
      url: config.IDENTITY_DATABASE_URL,
      acquireTimeoutMs: config.IDENTITY_DATABASE_WAIT_MS,
      lockTimeoutMs: config.IDENTITY_LOCK_TIMEOUT_MS,
      logger,
      refusals,
    };
    const database = openDatabase({
      ...connecting,
      applicationName: 'identity',
      poolMax: config.IDENTITY_DATABASE_POOL,
      share: config.IDENTITY_DATABASE_SHARE,
    });
    running.defer(() => database.close());
    // Who calls is asked before every request of everybody: it waits for nothing that organisations do.
    const authentication = openDatabase({
      ...connecting,
      applicationName: 'identity authentication',
      poolMax: config.IDENTITY_AUTHENTICATION_POOL,
      share: config.IDENTITY_AUTHENTICATION_POOL,
    });
    running.defer(() => authentication.close());
    await requireRestrictedRole(database.knex);
    const bus = openEventBus({ servers: config.NATS_URL, name: eventAccess.service, logger });
    running.defer(() => bus.close());
    const relay = startRelay({ outbox: postgresOutbox(database), bus, logger, metrics });
    running.defer(() => relay.stop());
    const parts = identityParts({ database, authentication }, logger, clock);
    running.defer(() => parts.keyUses.flush());
    const flushing = setInterval(() => void parts.keyUses.flush(), config.IDENTITY_KEY_USE_FLUSH_SECONDS * 1000);
    running.defer(() => clearInterval(flushing));
    const server = await startGrpcServer({
      contract: loadContract(),
      logger,
      accessLog,
      listen: config.IDENTITY_LISTEN,
      verifier: assertionVerifier({ keys: config.SERVICE_PUBLIC_KEYS, clock }),
      tls: tlsFrom(config),
      onCall: countCalls(metrics),
      services: identityServices(identityApp(parts), clock),
    });
    running.defer(() => server.drain());
    const { address: metricsAddress } = metricsPage;
    return { address: server.address, metricsAddress, stop: () => running.disposeAsync() };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}

function identityParts(
  { database, authentication }: { database: Database; authentication: Database },
  logger: Logger,
  clock: Clock,
): IdentityParts {
  const apiKeys = apiKeysStore(database);
  return {
    organisations: organisationsStore(database),
    members: membersStore(database),
    clientGroups: clientGroupsStore(database),
    apiKeys,
    auditLog: auditLogStore(database),
    credentials: credentialsStore(authentication),
    keyUses: keyUses(apiKeys, logger),
    areas: new Set(loadContract().operations.flatMap(({ access }) => access.area ?? [])),
    clock,
    newId,
    newOrganisationId: () => newUlid('org_', clock.now()),
    newApiKey: makeApiKey,
  };
}

function makeApiKey(): MadeApiKey {
  const key = newApiKey();
  return { key, hash: apiKeyHash(key).toString('hex'), prefix: shownApiKeyPrefix(key) };
}

const identityServices = (app: IdentityApp, clock: Clock): ServedService[] => [
  { name: 'platform.identity.v1.ApiKeyService', handlers: apiKeyHandlers(app) },
  { name: 'platform.identity.v1.AuditService', handlers: auditHandlers(app) },
  { name: 'platform.identity.v1.AuthenticationService', handlers: authenticationHandlers(app) },
  { name: 'platform.identity.v1.ClientGroupService', handlers: clientGroupHandlers(app, clock) },
  { name: 'platform.identity.v1.MemberService', handlers: memberHandlers(app) },
  { name: 'platform.identity.v1.OrganisationService', handlers: organisationHandlers(app) },
];
