import type { ServiceKeys } from '@platform-backend/auth';
import { serviceVariable, systemClock, type Clock } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { freePort } from '@platform-backend/embedded';
import type { Compose, ServiceContext, RunningService, Service, ServiceDeclaration } from '../../src/index.ts';
import { callers, type Callers } from './callers.ts';
import { misfits, publishedEvents } from './published-events.ts';
import { migratedDatabase, type DatabaseOf, type DatabaseUrls, type TestDatabase } from './test-database.ts';

export interface TestServiceOptions {
  readonly clock?: Clock;
  /** Without one, events stay in the outbox, where tests can see them. */
  readonly natsUrl?: string;
  /** Further variables, such as the address of a real service that it calls. */
  readonly environment?: Readonly<Record<string, string>>;
  /** It is another process of one that runs already: on its database, with its variables. */
  readonly replicaOf?: { readonly database: TestDatabase; readonly env: Readonly<Record<string, string>> };
  /** It does only what it is called for: nothing again and again by itself. */
  readonly idle?: true;
  /** Runs the service in a process of its own, say. */
  readonly run?: (environment: Readonly<Record<string, string>>) => Promise<RunningService>;
}

const nobodyListens = '127.0.0.1:9';

/**
 * The whole service on a database of its own, called by whoever has one of the keys. `stop` fails when it has published
 * anything that its contract does not describe.
 */
export async function startTestService<Declaration extends ServiceDeclaration>(
  service: Service<Declaration>,
  compose: Compose<Declaration>,
  keys: ServiceKeys,
  { clock = systemClock, natsUrl, environment, replicaOf, idle, run }: TestServiceOptions = {},
) {
  const { name } = service.declaration;
  const database = replicaOf
    ? (replicaOf.database as DatabaseOf<Declaration>)
    : await migratedDatabase<Declaration>(service);
  const logger = createLogger({ service: name, level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });
  const env = {
    ...testEnvironment(service, database, keys),
    ...(natsUrl && { NATS_URL: natsUrl }),
    // A process that is killed and started again finds its address free.
    ...(run && { [serviceVariable(name, 'LISTEN')]: `127.0.0.1:${String(await freePort())}` }),
    ...replicaOf?.env,
    ...environment,
  };
  let frame: ServiceContext<Declaration> | undefined;
  const composed: Compose<Declaration> = async (given) => {
    const composition = await compose((frame = given));
    return idle ? { ...composition, jobs: [] } : composition;
  };
  const runHere = () => service.start(composed, { env, logger, clock });
  const running = await (run ?? runHere)(env);
  const opened: Callers[] = [];
  return {
    database,
    /** What it was put together from, unless it runs elsewhere. */
    frame,
    logger,
    env,
    address: running.address,
    /** Who calls it as another service, or another process of it elsewhere. */
    calledBy: (as: string, address = running.address): Callers => {
      const calling = callers({ of: service.declaration.contract, address, as, keys, clock });
      opened.push(calling);
      return calling;
    },
    stop: async () => {
      for (const calling of opened) calling.close();
      await running.stop();
      // The one that was there first says what both have published, and ends the database.
      if (replicaOf) return;
      const wrong = misfits(service.declaration.contract, await publishedEvents(database));
      await database.drop();
      if (wrong.length > 0) throw new Error(`events that the contract does not describe:\n${wrong.join('\n')}`);
    },
  };
}

/** What a service is told to run on a database, while nobody that it may need is there. */
export const testEnvironment = (
  { declaration: { name, calls } }: Service,
  { appUrl }: DatabaseUrls,
  { privateKeys, publicKeys }: ServiceKeys,
): Record<string, string> => ({
  [serviceVariable(name, 'DATABASE_URL')]: appUrl,
  [serviceVariable(name, 'LISTEN')]: '127.0.0.1:0',
  // A busy machine is no reason to refuse anything.
  [serviceVariable(name, 'DATABASE_WAIT_MS')]: '120000',
  [serviceVariable(name, 'LOCK_TIMEOUT_MS')]: '60000',
  ...Object.fromEntries(Object.keys(calls).map((called) => [serviceVariable(called, 'ADDRESS'), nobodyListens])),
  ...(Object.keys(calls).length > 0 && { SERVICE_PRIVATE_KEY: JSON.stringify(privateKeys[name]) }),
  SERVICE_PUBLIC_KEYS: JSON.stringify(publicKeys),
  NATS_URL: `nats://${nobodyListens}`,
});
