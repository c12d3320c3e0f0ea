import { integer, poolSettings, url, type Setting } from '@platform-backend/core';
import type { Storage } from '@platform-backend/service';
import type { mongo as driver, Schema } from 'mongoose';
import type { Database } from './database.ts';
import type { ConstraintErrors } from './failures.ts';

export interface MongoStorageOptions {
  /** Every collection of the service, by its name; loaded when they are needed: `() => import('./store/collections.ts')`. */
  readonly collections: () => Promise<Readonly<Record<string, Schema>>>;
  /** What a unique index means to a caller. */
  readonly constraintErrors?: ConstraintErrors;
  /** Most connections of one replica, unless the environment says otherwise. */
  readonly connections?: number;
}

/** What stores work with. */
export interface OpenedMongo {
  readonly database: Database;
}

/** A replica set is named by all its members: `mongodb://a:27017,b:27017/database`. */
const mongoUrl = (description: string): Setting<string> => ({
  ...url({ protocols: ['mongodb', 'mongodb+srv'], example: 'mongodb://role@host/database', description }),
  parse: (value) => (/^mongodb(?:\+srv)?:\/\/[^/?\s]+(?:[/?]|$)/.test(value) ? value : undefined),
});

const settingsFor = (connections: number) => ({
  DATABASE_URL: mongoUrl(
    'MongoDB, as a user that reads and writes documents; all members of a replica set, or one that knows them',
  ),
  ...poolSettings(connections),
  READ_TIMEOUT_MS: integer({
    default: 15_000,
    min: 100,
    max: 600_000,
    description: 'milliseconds: longest time of one read; then 504',
  }),
});

const migrationSettings = {
  MIGRATION_URL: mongoUrl('MongoDB, as a user that may make indexes; for `migrate` alone'),
};

/** A service's data in MongoDB. The driver is loaded when it is opened or migrated, which is to create indexes. */
export const mongo = ({
  collections,
  constraintErrors,
  connections = 10,
}: MongoStorageOptions): Storage<
  ReturnType<typeof settingsFor>,
  typeof migrationSettings,
  OpenedMongo,
  driver.ClientSession
> & { readonly kind: 'mongo' } => ({
  kind: 'mongo',
  settings: settingsFor(connections),
  migrationSettings,

  async open({ settings, applicationName, logger, metrics, onWrite }) {
    const { mongoInbox, mongoIdempotencyStore, mongoOutbox, openDatabase } = await import('./index.ts');
    const database = await openDatabase({
      url: settings.DATABASE_URL,
      applicationName,
      logger,
      metrics,
      ...(onWrite && { onWrite }),
      collections: await collections(),
      poolMax: settings.DATABASE_POOL,
      share: settings.DATABASE_MAX_PER_ORGANISATION,
      acquireTimeoutMs: settings.DATABASE_WAIT_MS,
      readLimitMs: settings.READ_TIMEOUT_MS,
      ...(constraintErrors && { constraintErrors }),
    });
    try {
      await database.requireIndexes();
    } catch (error) {
      await database.close();
      throw error;
    }
    return {
      opened: { database },
      outbox: mongoOutbox(database),
      inbox: mongoInbox(database),
      idempotencyStore: mongoIdempotencyStore(database.unguarded),
      ping: () => database.ping(),
      close: () => database.close(),
    };
  },

  async restoreOrganisation(restore) {
    const { restoreOrganisation } = await import('./restore-organisation.ts');
    return restoreOrganisation(restore, Object.keys(await collections()));
  },

  async migrate({ MIGRATION_URL: url }, logger) {
    const { MayNotValidate, openDatabase } = await import('./index.ts');
    const database = await openDatabase({
      url,
      applicationName: 'migrate',
      logger,
      collections: await collections(),
    });
    try {
      const indexes = await database.createIndexes();
      const validated = await database.applyValidators().catch((error: unknown) => {
        // Documents are stored as before: a user from before there were validators keeps nobody from a new version.
        if (!(error instanceof MayNotValidate)) throw error;
        logger.warn(
          { event: 'database.not_validated', err: error },
          'the server does not refuse documents that are none',
        );
        return [];
      });
      return [...indexes, ...validated.map((name) => `${name}_validator`)];
    } finally {
      await database.close();
    }
  },
});
