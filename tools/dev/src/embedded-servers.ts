import { createServiceDatabase, natsBinary, startNats, startPostgres, type ServiceDatabase } from '@platform/embedded';
import { homePaths } from './home.ts';
import { startIdentityProvider, type IdentityProvider } from './identity-provider.ts';
import { keepRunning, type Kept } from './keep-running.ts';
import type { Secrets } from './secrets.ts';
import type { Service } from './services.ts';

/** What every embedded server needs to know. */
export interface Surroundings {
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
  { home, secrets, say, signal }: Surroundings,
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
    for (const { name } of services) {
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

/** NATS with JetStream. After a crash it returns on the same port. */
export async function embeddedNats({ home, say, signal }: Surroundings): Promise<Kept<{ readonly url: string }>> {
  const paths = homePaths(home);
  const binary = await natsBinary(paths.programs, say);
  const logFile = paths.log('nats');
  let port: number | undefined;
  return await keepRunning({
    name: 'NATS',
    logFile,
    say,
    signal,
    async start(over) {
      const started = await startNats({ binary, directory: paths.nats, port, logFile, signal: over, say });
      port = started.port;
      return { ...started, ready: { url: started.url } };
    },
  });
}

/** The local OpenID provider runs in the starter's own process. */
export async function embeddedIdentityProvider({ secrets }: Surroundings, audience: string): Promise<IdentityProvider> {
  const { port, signingKey, commandSecret } = secrets.identityProvider;
  return await startIdentityProvider({ port, audience, signingKey, commandSecret });
}
