import {
  busy,
  callHasChanged,
  changeToNote,
  pendingPrecondition,
  poolSemaphore,
  requireCaller,
  type Logger,
  type PoolOptions,
  type QueueClass,
} from '@platform-backend/core';
import { isTraced } from '@platform-backend/core/database-spans';
import mongoose, { Mongoose, type Connection, type Model, type mongo, type Schema } from 'mongoose';
import { setTimeout as delay } from 'node:timers/promises';
import { eventIndexes } from './events/event-collections.ts';
import {
  isCollision,
  translateFailure,
  translateFailureOfChange,
  translateFailureOfCommit,
  type ConstraintErrors,
} from './failures.ts';
import { keyedCallIndexes, noteChange } from './idempotency-store.ts';
import { createMissingIndexes, indexesOf, problemsOfIndexes, type DeclaredIndex } from './indexes.ts';
import { presentLimits, type Limits } from './limits.ts';
import { holdsEvents, tenantSchema } from './schemas.ts';
import { inScope, newScope, presentScope, type Scope } from './scope.ts';
import { guardCollection, operationsOf } from './scoped-collection.ts';
import { ensureSearchIndex, hasSearchIndex, type SearchIndex } from './search-indexes.ts';
import { traceCommands } from './traced-commands.ts';
import { applyValidators } from './validators.ts';

export interface DatabaseOptions extends PoolOptions {
  /** `mongodb://user:password@host:port/database`; `tls`, `tlsCAFile`, `authSource` and the like are honoured. */
  url: string;
  /** Shown in the server's log and in `currentOp`. */
  applicationName: string;
  logger: Logger;
  /** Every collection of the service, by its name. */
  collections: Readonly<Record<string, Schema>>;
  /** Called when something was written, before its caller goes on. */
  onWrite?: () => void;
  /** The server ends a read that takes longer; its caller hears `deadline_exceeded`. */
  readLimitMs?: number;
  /** A connection on which nothing was heard for so long is given up. */
  silenceLimitMs?: number;
  /** The service's one table of unique indexes and what they mean to a caller. */
  constraintErrors?: ConstraintErrors;
}

/**
 * Does its reading and writing through models and stores. They know whose work it is, so that nothing is handed on;
 * whatever is still running when the work is over is refused. Inside a transaction one operation follows the other,
 * never two at once, and the work may be run more than once.
 */
export type Work<T> = () => Promise<T>;

export interface Database {
  /** The collection of this name, for queries. Refuses every operation outside of the three below. */
  model<Fields>(name: string): Model<Fields>;
  /**
   * Runs `work` on the documents of this organisation alone: to it those of others do not exist. Each operation counts
   * by itself. Inside work of the same organisation it is a part of it, also of its transaction.
   */
  tenant<T>(organisationId: string, work: Work<T>): Promise<T>;
  /**
   * As `tenant`, and all its operations happen together or not at all: for what one document cannot hold. Models and
   * stores know of the session by themselves.
   */
  transaction<T>(organisationId: string, work: (session: mongo.ClientSession) => Promise<T>): Promise<T>;
  /** Runs `work` on the documents of all organisations: sweeps, queues, clean-up. Never for a caller's request. */
  acrossOrganisations<T>(work: Work<T>): Promise<T>;
  /** Creates the indexes that are declared and missing, and returns their names. Drops none. */
  createIndexes(): Promise<string[]>;
  /**
   * Has the server refuse documents that their schemas refuse, and returns the names of the collections of which it did not yet. Documents
   * that are there may stay as they are. Throws `MayNotValidate` where the user may not say that.
   */
  applyValidators(): Promise<string[]>;
  /** Throws an error that names every declared index that is missing or different. Services call it at start. */
  requireIndexes(): Promise<void>;
  /**
   * Creates an index of MongoDB's own search where it is missing. True: it can be asked; false: it is being built. Throws an error
   * that says what to do where the server has no search.
   */
  ensureSearchIndex(index: SearchIndex): Promise<boolean>;
  /** Whether such an index is there and can be asked. */
  hasSearchIndex(index: SearchIndex): Promise<boolean>;
  /** Calls `wake` when work of this process has added events. */
  listen(wake: () => void): { close(): Promise<void> };
  /** Calls all of them. */
  wakeRelay(): void;
  /** The clock of the server, by which all replicas go alike. Throws `unavailable` when it does not answer. */
  now(): Promise<Date>;
  /** Resolves when the database answers, and throws `unavailable` when it does not. */
  ping(): Promise<void>;
  /** The driver's own way, for this library's collections and for tests: nothing here is kept to an organisation. */
  readonly unguarded: mongo.Db;
  /** Names of the service's collections. */
  readonly collections: readonly string[];
  /** Names of the collections whose documents may hold events. */
  readonly eventSources: ReadonlySet<string>;
  /** Waits for what is under way, then closes every connection. */
  close(): Promise<void>;
}

/** Of a transaction. With the pauses between them others have half a second, and most often longer, to come to their end. */
const ATTEMPTS = 16;

/** Collections that may not be leave no connection behind. */
async function declareOrClose<T>(connection: Connection, declared: () => T): Promise<T> {
  try {
    return declared();
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Connects; throws `unavailable` when the server does not come. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { collections, metrics, onWrite, constraintErrors, poolMax = 10, share, acquireTimeoutMs = 5_000 } = options;
  const shown = metrics && { metrics, pool: options.applicationName };
  const semaphore = poolSemaphore({ connections: poolMax, share, timeoutMs: acquireTimeoutMs, shown });
  const connection = await connect({ ...options, poolMax, acquireTimeoutMs });
  const client = connection.getClient();
  const unguarded = client.db();
  const { models, schemas, declared, eventSources } = await declareOrClose(connection, () =>
    declare(connection, collections, options.readLimitMs ?? 15_000),
  );
  const wakes = new Set<() => void>();

  const wakeRelay = (): void => {
    for (const wake of wakes) wake();
  };
  const wakeAfter = ({ hasEvents, hasWritten }: Scope): void => {
    if (hasEvents) wakeRelay();
    if (hasWritten) onWrite?.();
  };

  const operate = async <T>(organisationId: string | null, work: Work<T>, limits?: Limits): Promise<T> => {
    const scope = newScope(organisationId, { limits });
    try {
      return await inScope(scope, work);
    } catch (error) {
      throw scope.hasWritten ? translateFailureOfChange(error, constraintErrors) : error;
    } finally {
      wakeAfter(scope);
    }
  };

  /** Until it is committed, so often at most; the longer others stay in the way, the longer it waits for them. */
  const transact = async <T>(
    organisationId: string,
    work: (session: mongo.ClientSession) => Promise<T>,
    limits: Limits | undefined,
  ): Promise<T> => {
    const note = changeToNote();
    const precondition = pendingPrecondition();
    let attempts = 0;
    let scope = newScope(organisationId);
    const committed = client.withSession((session) =>
      session.withTransaction(async () => {
        attempts += 1;
        scope = newScope(organisationId, { session, limits });
        try {
          const done = await inScope(scope, async () => {
            // Whoever changes in between what was judged makes the transaction collide.
            await precondition?.judge();
            return work(session);
          });
          if (note) await noteChange(unguarded, note, session);
          // Nothing is committed for nobody.
          requireCaller();
          return done;
        } catch (error) {
          // The driver itself tries again for two minutes.
          if (!isCollision(error)) throw error;
          if (attempts >= ATTEMPTS) throw busy({ cause: error });
          // At once it would meet the same transaction, which is not over yet.
          await delay(Math.random() * 8 * attempts);
          throw error;
        }
      }),
    );
    const result = await committed.catch((error: unknown) => {
      throw scope.hasWritten ? translateFailureOfCommit(error) : error;
    });
    if (scope.hasWritten) {
      callHasChanged();
      precondition?.settle();
    }
    note?.written();
    wakeAfter(scope);
    return result;
  };

  const withConnection = async <T>(queue: QueueClass, tenant: string, work: Work<T>): Promise<T> => {
    try {
      return await semaphore.run(queue, tenant, work);
    } catch (error) {
      throw translateFailure(error, constraintErrors);
    }
  };

  /** The scope around that this work is to be a part of. */
  const around = (organisationId: string): Scope | undefined => {
    if (organisationId === '') throw new Error('work of a tenant needs an organisation');
    const scope = presentScope();
    if (scope && scope.organisationId !== organisationId)
      throw new Error('work of an organisation inside that of another one, or of all');
    return scope;
  };

  return {
    model<Fields>(name: string) {
      const model = models.get(name);
      if (!model) throw new Error(`there is no collection ${name}`);
      return model as unknown as Model<Fields>;
    },
    async tenant(organisationId, work) {
      if (around(organisationId)) return work();
      // Before it has a connection: finding them out may take one.
      const limits = await presentLimits(organisationId);
      return withConnection('tenants', organisationId, () => operate(organisationId, work, limits));
    },
    async transaction(organisationId, work) {
      const scope = around(organisationId);
      if (scope?.session) return work(scope.session);
      if (scope) return transact(organisationId, work, scope.limits);
      const limits = await presentLimits(organisationId);
      return withConnection('tenants', organisationId, () => transact(organisationId, work, limits));
    },
    async acrossOrganisations(work) {
      if (presentScope()) throw new Error('work on all organisations inside other work');
      return withConnection('system', 'acrossOrganisations', () => operate(null, work));
    },
    createIndexes: () => withConnection('system', 'indexes', () => createMissingIndexes(unguarded, declared)),
    applyValidators: () => withConnection('system', 'validators', () => applyValidators(unguarded, schemas)),
    async requireIndexes() {
      const problems = await withConnection('system', 'indexes', () => problemsOfIndexes(unguarded, declared));
      if (problems.length > 0) throw new Error(`${problems.join('; ')}. Run the service's migration.`);
    },
    ensureSearchIndex: (index) => withConnection('system', 'indexes', () => ensureSearchIndex(unguarded, index)),
    hasSearchIndex: (index) => withConnection('system', 'indexes', () => hasSearchIndex(unguarded, index)),
    listen(wake) {
      wakes.add(wake);
      return {
        close() {
          wakes.delete(wake);
          return Promise.resolve();
        },
      };
    },
    wakeRelay,
    now: () =>
      withConnection('system', 'now', async () => {
        const { localTime } = await unguarded.command({ hello: 1 });
        return localTime as Date;
      }),
    async ping() {
      await withConnection('system', 'ping', () => unguarded.command({ ping: 1 }));
    },
    unguarded,
    collections: [...models.keys()],
    eventSources,
    close: () => connection.close(),
  };
}

type ConnectOptions = DatabaseOptions & { poolMax: number; acquireTimeoutMs: number };

async function connect({
  url,
  applicationName,
  logger,
  poolMax,
  acquireTimeoutMs,
  silenceLimitMs = 30_000,
}: ConnectOptions): Promise<Connection> {
  // An instance of our own: whatever else uses mongoose in this process shares no settings with it.
  const connection = new Mongoose().createConnection();
  // Without a listener an outage would end the process; every operation tells its caller of it.
  connection.on('error', (error: unknown) =>
    logger.warn({ event: 'database.unreachable', err: error }, 'the database cannot be reached'),
  );
  try {
    await connection.openUri(url, {
      appName: applicationName,
      maxPoolSize: poolMax,
      connectTimeoutMS: acquireTimeoutMs,
      serverSelectionTimeoutMS: acquireTimeoutMs,
      waitQueueTimeoutMS: acquireTimeoutMs,
      socketTimeoutMS: silenceLimitMs,
      writeConcern: { w: 'majority' },
      // Nothing is told, by an answer or an event, that a change of the primary could undo.
      readConcern: { level: 'majority' },
      autoIndex: false,
      autoCreate: false,
      bufferCommands: false,
      // It copies something of each command, and so nobody pays for it who traces nothing and whose URL does not ask for it.
      ...(isTraced() && { monitorCommands: true }),
    });
    traceCommands(connection.getClient());
    const { setName, msg } = await connection.getClient().db().command({ hello: 1 });
    if (setName === undefined && msg !== 'isdbgrid')
      throw new Error(
        'MongoDB runs without a replica set, so that it has no transactions; one of a single node will do',
      );
    return connection;
  } catch (error) {
    await connection.close();
    throw translateFailure(error);
  }
}

interface Declarations {
  readonly models: ReadonlyMap<string, Model<unknown>>;
  readonly schemas: ReadonlyMap<string, Schema>;
  readonly declared: readonly DeclaredIndex[];
  readonly eventSources: ReadonlySet<string>;
}

function declare(
  connection: Connection,
  collections: Readonly<Record<string, Schema>>,
  readLimitMs: number,
): Declarations {
  const schemas = Object.entries(collections).map(([name, schema]) => [name, tenantSchema(name, schema)] as const);
  const withEvents = new Set(schemas.flatMap(([name, schema]) => (holdsEvents(schema) ? [name] : [])));
  const operations = operationsOf(mongoose.mongo.Collection);
  const models = new Map(
    schemas.map(([name, schema]) => {
      const model = connection.model<unknown>(name, schema, name);
      guardCollection(model.collection, name, operations, { withEvents, readLimitMs });
      return [name, model];
    }),
  );
  const declared = [
    ...schemas.flatMap(([name, schema]) => indexesOf(name, schema)),
    ...eventIndexes,
    ...keyedCallIndexes,
  ];
  return { models, schemas: new Map(schemas), declared, eventSources: withEvents };
}
