import { integer, poolSettings, url } from '@platform-backend/core';
import type { Storage } from '@platform-backend/service';
import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { translateFailure, type ConstraintErrors } from './failures.ts';

export interface PostgresStorageOptions {
  /** Holds files such as `0001_organisations.ts`, each exporting `up`. */
  readonly migrations: URL;
  /** What a constraint means to a caller. */
  readonly constraintErrors?: ConstraintErrors;
  /** Most connections of one replica, unless the environment says otherwise. */
  readonly connections?: number;
}

/** What stores work with. */
export interface OpenedPostgres {
  readonly database: Database;
  /** Connections besides, for work that shall wait for nothing that organisations do. Closed with the database. */
  readonly pool: (purpose: string, connections: number) => Database;
}

const postgresUrl = (description: string) =>
  url({ protocols: ['postgres', 'postgresql'], example: 'postgres://role@host/database', description });

const databaseUrl = postgresUrl('PostgreSQL, as the role that owns nothing');

const settingsFor = (connections: number) => ({
  DATABASE_URL: databaseUrl,
  ...poolSettings(connections),
  LOCK_TIMEOUT_MS: integer({
    default: 2_000,
    min: 10,
    max: 600_000,
    description: 'milliseconds: longest wait for what somebody else is changing; then 503',
  }),
});

const migrationSettings = {
  /** Whose role migrations grant what the service needs. */
  DATABASE_URL: databaseUrl,
  MIGRATION_URL: postgresUrl('PostgreSQL, as the owner of the tables; for `migrate` alone'),
};

/** A service's data in PostgreSQL. The drivers are loaded when it is opened or migrated. */
export const postgres = ({
  migrations,
  constraintErrors: constraintErrors,
  connections = 10,
}: PostgresStorageOptions): Storage<
  ReturnType<typeof settingsFor>,
  typeof migrationSettings,
  OpenedPostgres,
  Knex.Transaction
> & { readonly kind: 'postgres' } => ({
  kind: 'postgres',
  settings: settingsFor(connections),
  migrationSettings,

  async open({ settings, applicationName, logger, metrics, onWrite }) {
    const { openDatabase, postgresInbox, postgresIdempotencyStore, postgresOutbox, requireRestrictedRole } =
      await import('./index.ts');
    const open = new AsyncDisposableStack();
    const openPool = (name: string, poolMax: number, share?: number): Database =>
      open.adopt(
        openDatabase({
          url: settings.DATABASE_URL,
          applicationName: name,
          poolMax,
          share,
          acquireTimeoutMs: settings.DATABASE_WAIT_MS,
          lockTimeoutMs: settings.LOCK_TIMEOUT_MS,
          logger,
          metrics,
          ...(onWrite && { onWrite }),
          ...(constraintErrors && { constraintErrors }),
        }),
        (pool) => pool.close(),
      );
    const database = openPool(applicationName, settings.DATABASE_POOL, settings.DATABASE_MAX_PER_ORGANISATION);
    try {
      await requireRestrictedRole(database.knex);
    } catch (error) {
      await open.disposeAsync();
      throw translateFailure(error);
    }
    return {
      opened: {
        database,
        pool: (purpose, count) => openPool(`${applicationName} ${purpose}`, count, count),
      },
      outbox: postgresOutbox(database),
      inbox: postgresInbox(database),
      idempotencyStore: postgresIdempotencyStore(database),
      ping: () => database.ping(),
      close: () => open.disposeAsync(),
    };
  },

  async restoreOrganisation(restore) {
    const { restoreOrganisation } = await import('./restore-organisation.ts');
    return restoreOrganisation(restore);
  },

  async migrate({ MIGRATION_URL: ownerUrl, DATABASE_URL: appUrl }, logger) {
    const { migrate } = await import('./index.ts');
    const appRole = decodeURIComponent(new URL(appUrl).username);
    return migrate({ url: ownerUrl, directory: migrations, appRole, logger });
  },
});
