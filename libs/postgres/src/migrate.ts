import type { Logger } from '@platform-backend/core';
import knexModule, { type Knex } from 'knex';
import { Client } from 'pg';
import { clientConfig } from './connection.ts';
import { knexLog } from './database.ts';
import { migrationFiles } from './migration-files.ts';
import { APP_ROLE_SETTING } from './tenancy.ts';

export interface MigrationRun {
  /** Connects as the owner of the service's tables. */
  url: string;
  /** Holds files such as `0001_organisations.ts`, each exporting `up`. */
  directory: string | URL;
  /** Exists already and owns nothing; migrations grant it what the service needs. */
  appRole: string;
  logger: Logger;
}

/** Any number will do, as long as every process uses the same; advisory locks are counted per database. */
const MIGRATION_LOCK = 7_236_511;

/**
 * Runs the migrations that have not run yet, all in one transaction, and returns their names. Safe when
 * several replicas start at once: one migrates, the others wait and find nothing left to do.
 */
export async function migrate({ url, directory, appRole, logger }: MigrationRun): Promise<string[]> {
  const lock = new Client(clientConfig({ url, applicationName: 'migration lock' }));
  // Without a listener a broken idle connection would end the process; the migration then fails by itself.
  lock.on('error', (error) =>
    logger.warn({ event: 'migration.lock_lost', err: error }, 'the connection holding the migration lock broke'),
  );
  await lock.connect();
  try {
    await waitForTurn(lock, logger);
    await requireRole(lock, appRole);
    await freeStaleLock(lock);
    return await runPending({ url, directory, appRole, logger });
  } finally {
    // Ending the session frees the advisory lock.
    await lock.end();
  }
}

async function waitForTurn(lock: Client, logger: Logger): Promise<void> {
  const { rows } = await lock.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [MIGRATION_LOCK]);
  if (rows[0]?.free) return;
  logger.info('another process is migrating this database, waiting for it');
  await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
}

async function requireRole(lock: Client, appRole: string): Promise<void> {
  const { rowCount } = await lock.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [appRole]);
  if (rowCount === 0) throw new Error(`the role "${appRole}" does not exist; create it before migrating`);
}

/** knex notes in a table that it is at work, and a crash leaves the note behind. We hold the real lock, so nobody is. */
async function freeStaleLock(lock: Client): Promise<void> {
  const { rows } = await lock.query<{ present: boolean }>(
    `SELECT to_regclass('knex_migrations_lock') IS NOT NULL AS present`,
  );
  if (rows[0]?.present) await lock.query('UPDATE knex_migrations_lock SET is_locked = 0 WHERE is_locked <> 0');
}

async function runPending({ url, directory, appRole, logger }: MigrationRun): Promise<string[]> {
  const database = knexModule.knex({
    client: 'pg',
    connection: clientConfig({ url, applicationName: 'migration' }) as Knex.PgConnectionConfig,
    pool: { min: 0, max: 2, afterCreate: prepareSession(appRole) },
    // Errors are logged, and values have no place there.
    compileSqlOnError: false,
    log: knexLog(logger),
  });
  try {
    const source = migrationFiles(directory);
    // A program older than its database starts all the same: during a roll-out both versions run.
    const [, applied] = (await database.migrate.latest({
      migrationSource: source,
      disableMigrationsListValidation: true,
    })) as [number, string[]];
    if (applied.length > 0) logger.info({ applied }, 'database migrated');
    return applied;
  } finally {
    await database.destroy();
  }
}

/** A table in use must not stop all its readers behind a waiting ALTER: give up instead, and be started again. */
const LOCK_TIMEOUT = '15s';

function prepareSession(appRole: string) {
  return (connection: Client, done: (error: Error | null, connection: Client) => void): void => {
    connection
      .query(`SELECT set_config($1, $2, false), set_config('lock_timeout', $3, false)`, [
        APP_ROLE_SETTING,
        appRole,
        LOCK_TIMEOUT,
      ])
      .then(
        () => done(null, connection),
        (error: unknown) => done(error as Error, connection),
      );
  };
}
