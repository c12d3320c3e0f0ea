import { readConfiguration } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { createMetrics } from '@platform-backend/core/metrics';
import type { OpenedMongo } from '@platform-backend/mongo/storage';
import { openDatabaseContent, type ThrowawayMongo } from '@platform-backend/mongo/testing';
import type { ThrowawayPostgres } from '@platform-backend/testing';
import pg from 'pg';
import type { Service } from '../../src/index.ts';
import type { TestDatabase } from '../starters/test-database.ts';

/** One row or document as it is stored. */
export interface StoredRow {
  readonly table: string;
  readonly text: string;
  /** The change that wrote it, as far as the database tells. */
  readonly transaction: string | undefined;
  readonly organisationId: string;
}

/** What a database holds of organisations, as its administrator sees it. */
export interface StoredRows {
  /** Tables or collections whose rows belong to organisations. */
  readonly tables: readonly string[];
  /** All rows of those tables, or of these organisations alone. */
  of(...organisationIds: string[]): Promise<readonly StoredRow[]>;
  /** All rows but those of these organisations. */
  besides(organisationIds: readonly string[]): Promise<readonly StoredRow[]>;
  /** Whose rows the service itself finds, where, when it asks for everything in the name of an organisation, or of none. */
  seenBy(organisationId: string): Promise<readonly Seen[]>;
  close(): Promise<void>;
}

interface Seen {
  readonly table: string;
  readonly organisationId: string;
}

const OUTBOX = 'outbox';

/** Notes about keyed calls, of no organisation: what a call is answered is nothing that it changes. */
const KEYED_CALLS = 'idempotencyStore';

export const storedRows = (service: Service, database: TestDatabase): Promise<StoredRows> =>
  'adminUrl' in database ? storedInPostgres(database) : storedInMongo(service, database);

async function storedInPostgres({ adminUrl, appUrl }: ThrowawayPostgres): Promise<StoredRows> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const { rows: named } = await admin.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relkind IN ('r', 'p') AND a.attname = 'organisation_id' AND NOT c.relispartition
       AND c.relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  const tables = named.map(({ name }) => name);
  const everything = tables
    .map(
      (name) =>
        `SELECT '${name}' AS "table", to_jsonb(t)::text AS text, xmin::text AS transaction,
                organisation_id AS "organisationId" FROM "${name}" t
         WHERE ($1::text[] IS NULL OR organisation_id = ANY ($1)) AND coalesce(organisation_id, '') <> ALL ($2::text[])`,
    )
    .join(' UNION ALL ');
  const rows = async (only: readonly string[] | null, besides: readonly string[]) =>
    (await admin.query<StoredRow>(`${everything} ORDER BY 1, 2`, [only, besides])).rows;
  return {
    tables,
    of: (...organisationIds) => rows(organisationIds.length > 0 ? organisationIds : null, []),
    besides: (organisationIds) => rows(null, organisationIds),
    async seenBy(organisationId) {
      const app = new pg.Client({ connectionString: appUrl });
      await app.connect();
      try {
        await app.query(`SELECT set_config('app.organisation_id', $1, false)`, [organisationId]);
        const each = tables.map(
          (name) => `SELECT '${name}' AS "table", organisation_id AS "organisationId" FROM "${name}"`,
        );
        return (await app.query<Seen>(each.join(' UNION ALL '))).rows;
      } finally {
        await app.end();
      }
    },
    close: () => admin.end(),
  };
}

/**
 * Events that wait in a document were written with it. Those in the outbox came there by a transaction, as the store
 * refuses them without one; which, it does not tell.
 */
async function storedInMongo(service: Service, { url }: ThrowawayMongo): Promise<StoredRows> {
  const opened = await openedMongo(service, url);
  const { database } = opened;
  const content = await openDatabaseContent(url);
  const rowsNow = async (organisationId?: object): Promise<StoredRow[]> => {
    const { documents, events } = await content.read(organisationId && { organisationId }, KEYED_CALLS);
    const stored = [
      ...documents.map(({ collection: table, id, text, organisationId }) => {
        return { table, text, organisationId, transaction: `${table} ${id}` };
      }),
      ...events.map(({ body: text, organisationId, heldBy }) => {
        const transaction = heldBy && `${heldBy.collection} ${heldBy.id}`;
        return { table: OUTBOX, text, organisationId, transaction };
      }),
    ];
    return stored.toSorted((a, b) => compare(saying(a), saying(b)));
  };
  return {
    tables: [...database.collections, OUTBOX].sort(),
    of: (...organisationIds) => rowsNow(organisationIds.length > 0 ? { $in: organisationIds } : undefined),
    besides: (organisationIds) => rowsNow({ $nin: organisationIds }),
    async seenBy(organisationId) {
      const find = async (table: string): Promise<Seen[]> => {
        const found = await database.model<{ organisationId: string }>(table).find().lean();
        return found.map((document) => ({ table, organisationId: document.organisationId }));
      };
      const findAll = async () => (await Promise.all(database.collections.map(find))).flat();
      if (organisationId !== '') return database.tenant(organisationId, findAll);
      return findAll().catch(() => []);
    },
    close: async () => {
      await Promise.all([content.close(), opened.close()]);
    },
  };
}

/** A second opening of the service's database, by its own storage. */
async function openedMongo({ declaration: { storage } }: Service, url: string) {
  const store = await storage.open({
    settings: readConfiguration({ DATABASE_URL: url }, storage.settings),
    applicationName: 'test',
    logger: createLogger({ service: 'test', level: 'silent' }),
    metrics: createMetrics(),
  });
  return { ...(store.opened as OpenedMongo), close: () => store.close() };
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** A row by what it says, whoever wrote it. */
export const saying = ({ table, text }: StoredRow): string => `${table} ${text}`;

export const isEvent = ({ table }: StoredRow): boolean => table === OUTBOX;
