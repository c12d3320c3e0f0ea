import { readConfiguration } from '@platform-backend/core';
import {
  createServiceDatabase,
  natsBinary,
  startNats,
  startPostgres,
  type ServiceDatabase,
} from '@platform-backend/embedded';
import { startIdentityProvider, type IdentityProvider } from '@platform-backend/embedded/identity-provider';
import {
  natsAuthorization,
  OPERATOR,
  setUpStreams,
  streamSettings,
  watchJetStream,
  type EventAccess,
  type JetStreamWatch,
} from '@platform-backend/events/set-up';
import type { Service } from '@platform-backend/service';
import { homePaths } from '../home.ts';
import { keepRunning } from '../keep-running.ts';
import type { Secrets } from '../secrets.ts';

/** What every embedded server needs to know. */
export interface EmbeddedServersContext {
  readonly home: string;
  readonly secrets: Secrets;
  readonly say: (text: string) => void;
  /** Aborts when everything stops. */
  readonly signal: AbortSignal;
}

export interface EmbeddedPostgres {
  readonly address: string;
  readonly databases: ReadonlyMap<string, ServiceDatabase>;
  readonly stop: () => Promise<void>;
}

/** PostgreSQL with one database per service. After a crash it returns on the same port. */
export async function embeddedPostgres(
  { home, secrets, say, signal }: EmbeddedServersContext,
  services: readonly Service[],
): Promise<EmbeddedPostgres> {
  const paths = homePaths(home);
  const logFile = paths.log('postgres');
  let port: number | undefined;
  const server = await keepRunning({
    name: 'PostgreSQL',
    logFile,
    say,
    signal,
    async start(over) {
      const started = await startPostgres({ directory: paths.postgres, port, logFile, signal: over, say });
      port = started.port;
      return { ...started, ready: started };
    },
  });
  if (server.ready.directory !== paths.postgres) {
    say(`PostgreSQL keeps its data in ${server.ready.directory}, for its account cannot reach ${paths.postgres}`);
  }
  try {
    const databases = new Map<string, ServiceDatabase>();
    for (const { name } of services.map(({ declaration }) => declaration)) {
      const password = secrets.databasePasswords[name];
      if (!password) throw new Error(`There is no database password for ${name}.`);
      const request = { serverUrl: server.ready.url, name, ownerPassword: password.owner, appPassword: password.app };
      databases.set(name, await createServiceDatabase(request));
    }
    return { address: `127.0.0.1:${server.ready.port}`, databases, stop: server.stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

export interface EmbeddedNats {
  readonly address: string;
  readonly stop: () => Promise<void>;
}

/**
 * NATS with JetStream, with a user for each service that may do what the service declares, and with the streams made
 * by the operator. After a crash it returns on the same port, and so it does when its JetStream no longer answers.
 */
export async function embeddedNats(
  { home, secrets, say, signal }: EmbeddedServersContext,
  programs: readonly EventAccess[],
  watched: Pick<JetStreamWatch, 'everyMs' | 'limitMs'> = {},
): Promise<EmbeddedNats> {
  const paths = homePaths(home);
  const binary = await natsBinary(paths.programs, say);
  const logFile = paths.log('nats');
  const passwordOf = (user: string): string => secrets.natsPasswords[user] ?? '';
  // A home's passwords are replaced with everything stopped, so that nobody needs a second name.
  const authorization = natsAuthorization(programs, (user) => {
    const password = secrets.natsPasswords[user];
    return password === undefined ? undefined : JSON.stringify(password);
  });
  let port: number | undefined;
  const server = await keepRunning({
    name: 'NATS',
    logFile,
    say,
    signal,
    async start(over) {
      const options = { binary, directory: paths.nats, authorization, port, logFile, signal: over, say };
      const started = await startNats(options);
      port = started.port;
      const address = `127.0.0.1:${port}`;
      await makeStreams(natsUrl(address, OPERATOR, passwordOf(OPERATOR)), over).catch(async (error: unknown) => {
        await started.stop();
        throw error;
      });
      return { ...started, ready: { address } };
    },
  });
  const watching = new AbortController();
  const watch = watchJetStream({
    servers: natsUrl(server.ready.address, OPERATOR, passwordOf(OPERATOR)),
    signal: AbortSignal.any([signal, watching.signal]),
    ...watched,
    onHung: async () => {
      say(`NATS is there, and its JetStream does not answer, as after a full disk; it is restarted (log: ${logFile})`);
      await server.restart();
    },
  });
  const stop = async (): Promise<void> => {
    watching.abort();
    await server.stop();
    await watch;
  };
  return { address: server.ready.address, stop };
}

/** Makes the streams on a NATS server as whoever the URL names, who must be allowed to. */
export async function makeStreams(url: string, signal: AbortSignal, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const { NATS_STREAM_REPLICAS: replicas } = readConfiguration(env, streamSettings);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(streamsTimeoutMs)]);
  await setUpStreams({ servers: url, limits: { replicas }, signal: limit });
}

const streamsTimeoutMs = 20_000;

export const natsUrl = (address: string, user: string, password: string): string =>
  `nats://${user}:${encodeURIComponent(password)}@${address}`;

/** The local OpenID provider runs in the starter's own process. */
export async function embeddedIdentityProvider(
  { secrets }: EmbeddedServersContext,
  audience: string,
): Promise<IdentityProvider> {
  const { port, signingKey, commandSecret } = secrets.identityProvider;
  return await startIdentityProvider({ port, audience, signingKey, commandSecret });
}
