import { readConfiguration } from '@platform-backend/core';
import { describeMongo, mongoDatabaseUrl, startEmbeddedMongo, startMongod } from '@platform-backend/embedded';
import type { Service } from '@platform-backend/service';
import { join } from 'node:path';
import { homePaths } from '../home.ts';
import { keepRunning } from '../keep-running.ts';
import { mongoSettings } from '../settings.ts';
import type { EmbeddedServersContext } from './embedded-servers.ts';
import { chooseMongoEngine, described, rememberMongoEngine, writtenWith } from './mongo-engine.ts';

export interface MongoDatabases {
  /** Where it is, and which engine in which version. */
  readonly description: string;
  /** By service. */
  readonly databases: ReadonlyMap<string, string>;
  readonly stop: () => Promise<void>;
}

/** MongoDB with a database for each service: the server that is named, or an engine of our own. */
export async function mongoDatabases(
  surroundings: EmbeddedServersContext,
  env: NodeJS.ProcessEnv,
  services: readonly Service[],
): Promise<MongoDatabases> {
  const { MONGO_URL: given } = readConfiguration(env, mongoSettings);
  const server =
    given === undefined ? await embeddedMongoServer(surroundings, env) : await givenMongo(surroundings, given);
  const databases = services.map(({ declaration: { name } }) => [name, mongoDatabaseUrl(server.url, name)] as const);
  return { ...server, databases: new Map(databases) };
}

async function givenMongo({ home, say }: EmbeddedServersContext, url: string) {
  const { address, version } = await describeMongo(url).catch((error: unknown) => {
    throw new Error(`MONGO_URL cannot be used: ${(error as Error).message}`, { cause: error });
  });
  if (writtenWith(home)) say(`MONGO_URL is used; what lies in ${homePaths(home).mongo} stays there`);
  return { url, description: `${address}   MongoDB ${version} (MONGO_URL)`, stop: () => Promise.resolve() };
}

/** One engine for the life of a home. After a crash it returns on the same port. */
async function embeddedMongoServer({ home, say, signal }: EmbeddedServersContext, env: NodeJS.ProcessEnv) {
  const engine = await chooseMongoEngine({ home, env, signal, say });
  const paths = homePaths(home);
  const directory = join(paths.mongo, engine.engine);
  const logFile = paths.log('mongo');
  let port: number | undefined;
  const server = await keepRunning({
    name: 'MongoDB',
    logFile,
    say,
    signal,
    async start(over) {
      const options = { directory, port, logFile, signal: over };
      const started =
        engine.engine === 'mongod'
          ? await startMongod({ ...options, binary: engine.binary })
          : await startEmbeddedMongo(options);
      port = started.port;
      return { ...started, ready: started };
    },
  });
  rememberMongoEngine(home, engine);
  const { url } = server.ready;
  const version = engine.engine === 'mongod' ? '' : `, as MongoDB ${(await describeMongo(url)).version}`;
  return { url, description: `${new URL(url).host}   ${described(engine)}${version}`, stop: server.stop };
}
