import { secretBox } from '@platform-backend/core/secret-box';
import {
  addressPolicy,
  hostRefusal,
  isAllowedHost,
  outboundFetch,
  type AddressPolicy,
} from '@platform-backend/outbound';
import type { Area } from '@platform-backend/service';
import type { PipelinesContext, service } from '../service.ts';
import { connectionHandlers } from './api/connection-handlers.ts';
import { connectionUseCases } from './app/connections.ts';
import { readSource } from './app/read-source.ts';
import { httpClient } from './clients/http-client.ts';
import { postgresqlClient } from './clients/postgresql-client.ts';
import { s3Client } from './clients/s3-client.ts';
import { secretContext, type ConnectionSettings } from './domain/connection.ts';
import { connectionsStore, removeConnections, type DatasetsReadFrom } from './store/connections-store.ts';

export type ConnectionsExports = ReturnType<typeof connectionsArea>['exports'];

/** Somebody waits for a trial, no longer than the contract has them wait. */
const TEST_MS = 12_000;

interface ConnectionsNeeds {
  /** The names of the datasets that are read from one, in its transaction. */
  readonly datasetsReadFrom: DatasetsReadFrom;
}

/** Connections: how databases, object stores and HTTP interfaces of organisations are reached, with their secrets. */
export const connectionsArea = (
  { settings, storage: { database }, clock }: PipelinesContext,
  { datasetsReadFrom }: ConnectionsNeeds,
) => {
  const connections = connectionsStore(database, datasetsReadFrom);
  const policy = addressPolicy(settings.OUTBOUND_ALLOWED_HOSTS);
  const box = secretBox({ key: settings.SECRETS_KEY, otherKey: settings.SECRETS_KEY_OTHER });
  const maxBytes = settings.PIPELINES_DATASET_MAX_BYTES;
  // Each call has a limit of time of its own.
  const fetch = outboundFetch({ policy, maxBytes, silenceMs: 0 });
  const ports = {
    connections,
    open: (organisationId: string, id: string, sealed: string) => box.open(sealed, secretContext(organisationId, id)),
    clients: {
      postgresql: postgresqlClient({ policy, seconds: settings.PIPELINES_READ_SECONDS }),
      s3: s3Client(fetch),
      http: httpClient(fetch),
    },
  };
  const app = connectionUseCases({
    ...ports,
    refusal: (of) => refusalOf(policy, of),
    seal: (organisationId, id, secret) => box.seal(secret, secretContext(organisationId, id)),
    clock,
    testMs: TEST_MS,
  });
  return {
    handlers: { ConnectionService: connectionHandlers(app) },
    removeOrganisation: removeConnections,
    exports: {
      readSource: readSource(ports),
      requireSource: (...of: Parameters<typeof app.requireSource>) => app.requireSource(...of),
    },
  } satisfies Area<typeof service.declaration>;
};

function refusalOf(policy: AddressPolicy, settings: ConnectionSettings) {
  const refused = (field: string, why: string | undefined) => (why === undefined ? undefined : { field, why });
  switch (settings.kind) {
    case 'POSTGRESQL': {
      const { host, port, sslMode } = settings;
      // A password that is sent in the open is one that anybody has.
      if (sslMode === 'DISABLE' && !isAllowedHost(policy, host, port))
        return refused('ssl_mode', 'only hosts that the operator allows by name are reached without encryption');
      return refused('host', hostRefusal(policy, host, port));
    }
    case 'S3':
      return settings.endpoint === '' ? undefined : refused('endpoint', policy.urlRefusal(settings.endpoint));
    case 'HTTP':
      return refused('base_url', policy.urlRefusal(settings.baseUrl));
  }
}
