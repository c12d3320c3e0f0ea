import {
  callHasChanged,
  changeToNote,
  outsideOfCalls,
  pendingPrecondition,
  poolSemaphore,
  requireCaller,
  type ChangeNotice,
  type Logger,
  type PoolOptions,
  type QueueClass,
} from '@platform-backend/core';
import knexModule, { type Knex } from 'knex';
import { AsyncLocalStorage } from 'node:async_hooks';
import { openChangeChannel } from './change-channel.ts';
import { clientConfig, type ConnectionOptions } from './connection.ts';
import { isCollision, isOutage, translateFailure, type ConstraintErrors } from './failures.ts';
import { KEYED_CALL_SETTING, noteChange } from './keyed-call-notes.ts';
import { listen, type Listening, type Wake } from './listen.ts';
import { onConnection, runForTenant, runWithoutTenant, type PreparedStatement } from './one-round-trip.ts';
import { persistentlyWith } from './persistently.ts';
import { readsIn, type ReadsInside } from './reads-inside.ts';
import { ORGANISATION_SETTING } from './tenancy.ts';
import { traceStatements } from './traced-statements.ts';
import { beginWithSettings, openingOf, requireNames } from './transaction-settings.ts';
import { writes } from './writing-statements.ts';

export interface DatabaseOptions
  extends
    PoolOptions,
    Pick<ConnectionOptions, 'applicationName' | 'statementTimeoutMs' | 'idleInTransactionTimeoutMs'> {
  /** Connects as the service's app role, which owns nothing. */
  url: string;
  logger: Logger;
  /** How long a statement waits for a lock before its caller hears `unavailable` with the code `busy`. */
  lockTimeoutMs?: number;
  /** Called when a transaction has written, before its caller goes on. */
  onWrite?: () => void;
  /** The service's one table of named constraints and what they mean to a caller. */
  constraintErrors?: ConstraintErrors;
}

export interface TransactionOptions {
  isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readOnly?: boolean;
  /** Further `app.` settings for this transaction, read by policies. */
  settings?: Readonly<Record<string, string>>;
  /**
   * Has rows read one by one in the order of an index. For a queue: the planner takes the rows that policies leave for
   * few, and would rather collect all that were ever in the index since the last vacuum, and sort them.
   */
  inIndexOrder?: true;
}

/**
 * Does its reading and writing through `trx` alone, and nothing else: it may be run more than once. Another transaction
 * inside would wait for a connection while holding one, and is refused.
 */
export type Work<T> = (trx: Knex.Transaction) => Promise<T>;

/** The work changes rows by a function that it calls, which its statements do not show. */
interface HasWritten {
  hasWritten?: boolean;
}

export interface Database {
  /**
   * Runs `work` in one transaction that sees and writes only rows of this organisation. A collision with
   * another transaction is tried again, at most three times in all, and with a condition to judge as long as its caller waits; a lock that
   * is not to be had is not.
   * Never swallow a database error inside `work`: PostgreSQL has then given the transaction up, and committing it silently does nothing.
   */
  tenant<T>(organisationId: string, work: Work<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs `work` in one transaction without an organisation: tenant tables show only what a policy opens
   * for one of these `app.` settings, such as the row with exactly this key hash.
   */
  system<T>(settings: Readonly<Record<string, string>>, work: Work<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs one statement in a transaction of its own that sees and writes only rows of this organisation, in one round
   * trip where `tenant` needs three. The statement is prepared once per connection, under its name. A change that a keyed call has to
   * note is made in a transaction like those of `tenant`, together with its note.
   */
  statement<Row>(organisationId: string, statement: PreparedStatement, values: readonly unknown[]): Promise<Row[]>;
  /**
   * Runs one statement that only reads, or may be repeated, in a transaction of its own without an organisation, in one round trip
   * where `system` needs three. It sees what these `app.` settings open; others are for the statement to make, local to the transaction.
   */
  systemStatement<Row>(
    statement: PreparedStatement,
    values: readonly unknown[],
    settings?: Readonly<Record<string, string>>,
  ): Promise<Row[]>;
  /** Calls `wake` after every notification on the channel, and after each reconnection, when one may have been missed. */
  listen(channel: string, wake: Wake): Listening;
  /**
   * Tells of changes of these things, whichever process has made them: of what a trigger names on the channel `changes` when it commits.
   * One connection listens for all readers of a process, from the first one on.
   */
  noticeOf(things: readonly string[]): ChangeNotice;
  /** Resolves when the database answers, and throws `unavailable` when it does not. */
  ping(): Promise<void>;
  /** For tests and schema checks. Without a transaction's settings no tenant row is visible here. */
  readonly knex: Knex;
  /** Waits for running queries, then closes every connection. */
  close(): Promise<void>;
}

const ATTEMPTS = 3;
/**
 * Where a condition is judged, its snapshot collides with whoever changes a row meanwhile that all changes of an organisation have in common,
 * such as the head of a chain: how often says nothing of the change itself, which is tried for as long as its caller waits, some ten seconds at
 * most. Over the thing itself there is one collision: the next attempt finds that the condition no longer holds.
 */
const ATTEMPTS_ON_A_CONDITION = 100;

export function openDatabase(options: DatabaseOptions): Database {
  const { url, applicationName, logger, metrics, onWrite, constraintErrors } = options;
  const { poolMax = 10, acquireTimeoutMs = 5_000 } = options;
  const pool = openPool({ ...options, poolMax, acquireTimeoutMs });
  const cancelling = clientConfig({ url, applicationName, connectTimeoutMs: 1_000 });
  const semaphore = poolSemaphore({
    connections: poolMax,
    share: options.share,
    timeoutMs: acquireTimeoutMs,
    shown: metrics && { metrics, pool: applicationName },
  });

  /** The transaction that the present work is part of, if it is of one. */
  const around = new AsyncLocalStorage<{ open: boolean; readonly reads?: ReadsInside }>();
  const asWorkOf = <T>(work: () => Promise<T>): Promise<T> => {
    const transactionOfWork = { open: true };
    return around.run(transactionOfWork, async () => {
      try {
        return await work();
      } finally {
        transactionOfWork.open = false;
      }
    });
  };

  /** Has the transactions that `judge` makes be part of this one, which sees what they read as it was at its beginning. */
  const judgeInside = async (judge: () => Promise<void>, reads: ReadsInside): Promise<void> => {
    const judgement = { open: true, reads };
    try {
      await around.run(judgement, judge);
    } finally {
      judgement.open = false;
      // What it does not wait for must not go on behind the end of the transaction, on a connection that others have by then.
      await reads.end();
    }
  };
  const readsInside = (): ReadsInside | undefined => {
    const present = around.getStore();
    return present?.open ? present.reads : undefined;
  };

  /** Runs with a connection to be had for it, when its tenant is next. */
  const withConnection = async <T>(queue: QueueClass, tenant: string, run: () => Promise<T>): Promise<T> => {
    if (around.getStore()?.open)
      throw new Error('a transaction inside another one would wait while it holds a connection');
    return semaphore.run(queue, tenant, run);
  };

  const persistently = persistentlyWith({ poolMax, constraintErrors });

  const transaction = async <T>(
    queue: QueueClass,
    tenant: string,
    settings: Readonly<Record<string, string>>,
    work: Work<T>,
    { isolation, readOnly, inIndexOrder, hasWritten: isWriting = false }: TransactionOptions & HasWritten,
  ): Promise<T> => {
    const reads = readsInside();
    if (reads) return reads.run(settings, (trx) => asWorkOf(() => work(trx)));
    const precondition = readOnly ? undefined : pendingPrecondition();
    // Then whoever changes in between what was judged makes the change collide, and it is judged again.
    const isolationLevel = isolation ?? (precondition && 'repeatable read');
    const note = readOnly ? undefined : changeToNote();
    const all = { ...settings, ...(note && { [KEYED_CALL_SETTING]: note.call.id }) };
    const config: Knex.TransactionConfig = {
      ...(isolationLevel && { isolationLevel }),
      ...(readOnly !== undefined && { readOnly }),
      ...openingOf(all, inIndexOrder ? INDEX_ORDER : {}),
    };
    let workBegan: boolean;
    let commitBegan: boolean;
    return persistently(
      async () => {
        workBegan = false;
        commitBegan = false;
        const { done, hasWritten, isNoted } = await withConnection(queue, tenant, () =>
          onConnection({ pool, cancelling }, (connection) =>
            pool.transaction(
              async (trx) => {
                if (precondition) await judgeInside(precondition.judge, readsIn(trx, connection, all));
                workBegan = true;
                let hasWritten = isWriting;
                if (!readOnly) trx.on('query', ({ sql }: { readonly sql: string }) => (hasWritten ||= writes(sql)));
                const done = await asWorkOf(() => work(trx));
                const isNoted = note !== undefined && (await noteChange(trx, note));
                // Nothing is committed for nobody.
                requireCaller();
                commitBegan = hasWritten;
                return { done, hasWritten, isNoted };
              },
              { ...config, connection },
            ),
          ),
        );
        if (hasWritten) {
          callHasChanged();
          precondition?.settle();
          onWrite?.();
        }
        if (isNoted) note?.written();
        return done;
      },
      // A broken connection is safe to try again only before the work: afterwards it may have been committed.
      (error) => {
        if (isCollision(error)) return precondition ? ATTEMPTS_ON_A_CONDITION : ATTEMPTS;
        return isOutage(error) && !workBegan ? ATTEMPTS : 1;
      },
      () => commitBegan,
    );
  };

  const listenTo = (channel: string, wake: Wake): Listening =>
    listen({
      connection: clientConfig({ url, applicationName: `${applicationName} listener` }),
      ...{ channel, wake, logger },
    });
  const changes = openChangeChannel(listenTo);

  return {
    tenant(organisationId, work, transactionOptions = {}) {
      if (organisationId === '') throw new Error('a tenant transaction needs an organisation');
      const settings = { ...transactionOptions.settings, [ORGANISATION_SETTING]: organisationId };
      return transaction('tenants', organisationId, settings, work, transactionOptions);
    },
    system: (settings, work, transactionOptions = {}) =>
      transaction(
        'system',
        JSON.stringify(settings),
        { ...transactionOptions.settings, ...settings },
        work,
        transactionOptions,
      ),
    async statement<Row>(organisationId: string, statement: PreparedStatement, values: readonly unknown[]) {
      if (organisationId === '') throw new Error('a tenant transaction needs an organisation');
      const reads = readsInside();
      if (reads) return reads.statement<Row>({ [ORGANISATION_SETTING]: organisationId }, statement, values);
      const isWrite = statement.writes ?? writes(statement.text);
      if (isWrite && changeToNote()) {
        const settings = { [ORGANISATION_SETTING]: organisationId };
        const inTransaction: Work<Row[]> = async (trx) => {
          const { name, text } = statement;
          const { rows } = await trx.raw<{ rows: Row[] }>(text).options({ name, values: [...values] });
          return rows;
        };
        return transaction('tenants', organisationId, settings, inTransaction, { hasWritten: true });
      }
      if (isWrite && pendingPrecondition())
        throw new Error(`${statement.name} changes something in a transaction that judges no If-Match`);
      let isSent = false;
      const sent = (): void => void (isSent = true);
      const run = () => runForTenant<Row>({ pool, cancelling, sent }, organisationId, statement, values);
      const rows = await persistently(
        () => {
          // What an attempt before has sent was taken back.
          isSent = false;
          return withConnection('tenants', organisationId, run);
        },
        (error) => (isCollision(error) ? ATTEMPTS : 1),
        () => isWrite && isSent,
      );
      if (isWrite) {
        callHasChanged();
        onWrite?.();
      }
      return rows;
    },
    // It may be repeated, so that a broken connection is no reason to give up either.
    async systemStatement<Row>(
      statement: PreparedStatement,
      values: readonly unknown[],
      settings: Readonly<Record<string, string>> = {},
    ) {
      requireNames(settings);
      const reads = readsInside();
      if (reads) return reads.statement<Row>(settings, statement, values);
      const rows = await persistently(
        () =>
          withConnection('system', statement.name, () =>
            runWithoutTenant<Row>({ pool, cancelling }, settings, statement, values),
          ),
        (error) => (isCollision(error) || isOutage(error) ? ATTEMPTS : 1),
      );
      if (statement.writes ?? writes(statement.text)) onWrite?.();
      return rows;
    },
    listen: listenTo,
    noticeOf: (things) => changes.noticeOf(things),
    async ping() {
      try {
        await withConnection('system', 'ping', async () => {
          await pool.raw('SELECT 1');
        });
      } catch (error) {
        throw translateFailure(error);
      }
    },
    knex: pool,
    async close() {
      await changes.close();
      await pool.destroy();
    },
  };
}

/** One that looks for work every half minute keeps its connection; whatever else is idle is closed. In milliseconds. */
const KEPT_IDLE_MS = 40_000;
const REAP_EVERY_MS = 10_000;

function openPool({
  url,
  applicationName,
  logger,
  poolMax,
  acquireTimeoutMs,
  statementTimeoutMs = 15_000,
  lockTimeoutMs = 2_000,
  idleInTransactionTimeoutMs = 30_000,
}: DatabaseOptions & { poolMax: number; acquireTimeoutMs: number }): Knex {
  const pool = knexModule.knex({
    client: 'pg',
    connection: {
      ...clientConfig({ url, applicationName, statementTimeoutMs, lockTimeoutMs, idleInTransactionTimeoutMs }),
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolMax, reapIntervalMillis: REAP_EVERY_MS, idleTimeoutMillis: KEPT_IDLE_MS },
    acquireConnectionTimeout: acquireTimeoutMs,
    // Errors are logged, and values have no place there.
    compileSqlOnError: false,
    log: knexLog(logger),
  });
  openOutsideOfRequests(pool);
  beginWithSettings(pool);
  traceStatements(pool);
  return pool;
}

/** A connection is opened for whoever needs it first, and is others' afterwards. */
function openOutsideOfRequests({ client }: Knex): void {
  const driver = client as { acquireRawConnection: () => Promise<unknown> };
  const open = driver.acquireRawConnection.bind(driver);
  driver.acquireRawConnection = () => outsideOfCalls(open);
}

/** knex's own remarks go to our log; it would print them to the console otherwise. */
export const knexLog = (logger: Logger): Knex.Logger => ({
  warn: (message: unknown) => logger.warn({ event: 'database.library_message', from: 'knex' }, String(message)),
  error: (message: unknown) => logger.error({ event: 'database.library_message', from: 'knex' }, String(message)),
  deprecate: (method: unknown, alternative: unknown) =>
    logger.warn(
      { event: 'database.library_deprecation', from: 'knex' },
      `${String(method)} is deprecated, use ${String(alternative)}`,
    ),
  debug: (message: unknown) => logger.debug({ from: 'knex' }, String(message)),
});

/** For the planner: it leaves itself no other way than an index. */
const INDEX_ORDER = { enable_bitmapscan: 'off', enable_seqscan: 'off' };
