import { Binary } from 'bson';
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { compileMatch } from '../aggregation/document-stages.ts';
import { decode, encode } from '../bson/codec.ts';
import { toNumber } from '../bson/numbers.ts';
import { isDocument, isNumeric, type Document } from '../bson/values.ts';
import type { Matcher } from '../query/matcher.ts';
import { keyPart, type KeyPart } from '../query/sort-keys.ts';
import { validationOf, type Validation } from './validation.ts';

export interface Index {
  readonly id: number;
  readonly name: string;
  readonly parts: readonly KeyPart[];
  readonly unique: boolean;
  readonly sparse: boolean;
  /** Which documents it holds, where not all. */
  readonly partial: Matcher | undefined;
  /** For each part whether an array has been seen in it. */
  readonly multi: readonly boolean[];
  /** As it is listed. */
  readonly spec: Document;
}

export interface Collection {
  readonly id: number;
  readonly database: string;
  readonly name: string;
  readonly uuid: Binary;
  readonly indexes: readonly Index[];
  /** As they are listed. */
  readonly options: Document;
  readonly validation: Validation | undefined;
}

export const namespace = (database: string, name: string): string => `${database}.${name}`;

/** All collections and indexes, as of one moment. A change makes another one, so that what was rolled back is the one before. */
export type Catalogue = ReadonlyMap<string, Collection>;

/** Names of tables hold nothing but numbers. */
export const tableOf = ({ id }: Collection): string => `documents_${id}`;
export const tableOfIndex = ({ id }: Index): string => `index_${id}`;

export function createTables(handle: DatabaseSync): void {
  handle.exec(`
    CREATE TABLE IF NOT EXISTS collections (
      id INTEGER PRIMARY KEY AUTOINCREMENT, database TEXT NOT NULL, name TEXT NOT NULL, uuid TEXT NOT NULL,
      UNIQUE (database, name)
    );
    CREATE TABLE IF NOT EXISTS indexes (
      id INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL, spec BLOB NOT NULL, multi TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS retryable_writes (
      session TEXT PRIMARY KEY, number TEXT NOT NULL, reply BLOB NOT NULL, written_at INTEGER NOT NULL
    ) WITHOUT ROWID;
  `);
  // Data of before there were any have no place for them.
  const columns = handle.prepare('PRAGMA table_info(collections)').all() as { name: string }[];
  if (!columns.some(({ name }) => name === 'options')) handle.exec('ALTER TABLE collections ADD COLUMN options BLOB');
}

export function readCatalogue(handle: DatabaseSync): Catalogue {
  const indexes = Map.groupBy(
    handle.prepare('SELECT id, collection, spec, multi FROM indexes ORDER BY id').all() as unknown as {
      id: number;
      collection: number;
      spec: Uint8Array;
      multi: string;
    }[],
    ({ collection }) => collection,
  );
  const collections = handle
    .prepare('SELECT id, database, name, uuid, options FROM collections ORDER BY id')
    .all() as unknown as {
    id: number;
    database: string;
    name: string;
    uuid: string;
    options: Uint8Array | null;
  }[];
  return new Map(
    collections.map(({ id, database, name, uuid, options }) => [
      namespace(database, name),
      {
        id,
        database,
        name,
        uuid: uuidOf(uuid),
        ...withOptions(options === null ? new Map() : decode(Buffer.from(options))),
        indexes: (indexes.get(id) ?? []).map((row) =>
          indexOf(
            row.id,
            decode(Buffer.from(row.spec)),
            row.multi.split(',').map((flag) => flag === '1'),
          ),
        ),
      },
    ]),
  );
}

const uuidOf = (text: string): Binary => new Binary(Buffer.from(text.replaceAll('-', ''), 'hex'), Binary.SUBTYPE_UUID);

/** Of an index. */
export function nameOf(spec: Document): string {
  const name = spec.get('name');
  return typeof name === 'string' ? name : '';
}

function indexOf(id: number, spec: Document, multi: readonly boolean[]): Index {
  const key = spec.get('key');
  const partial = spec.get('partialFilterExpression');
  const parts = [...(isDocument(key) ? key : [])].map(([name, direction]) =>
    keyPart(name, isNumeric(direction) && toNumber(direction) < 0),
  );
  return {
    id,
    name: nameOf(spec),
    parts,
    unique: spec.get('unique') === true || spec.get('name') === '_id_',
    sparse: spec.get('sparse') === true,
    partial: isDocument(partial) ? compileMatch(partial) : undefined,
    multi: parts.map((_, at) => multi[at] === true),
    spec,
  };
}

const withOptions = (options: Document): Pick<Collection, 'options' | 'validation'> => ({
  options,
  validation: validationOf(options),
});

/** @throws ServerError where they are none. */
export function setOptions(
  handle: DatabaseSync,
  catalogue: Catalogue,
  collection: Collection,
  options: Document,
): Catalogue {
  const next = { ...collection, ...withOptions(options) };
  handle.prepare('UPDATE collections SET options = ? WHERE id = ?').run(encode(options), collection.id);
  return new Map(catalogue).set(namespace(collection.database, collection.name), next);
}

export function addCollection(handle: DatabaseSync, catalogue: Catalogue, database: string, name: string): Catalogue {
  const uuid = randomUUID();
  const { lastInsertRowid } = handle
    .prepare('INSERT INTO collections (database, name, uuid) VALUES (?, ?, ?)')
    .run(database, name, uuid);
  const collection: Collection = {
    id: Number(lastInsertRowid),
    ...{ database, name, uuid: uuidOf(uuid), indexes: [] },
    ...withOptions(new Map()),
  };
  handle.exec(`CREATE TABLE ${tableOf(collection)} (record INTEGER PRIMARY KEY, document BLOB NOT NULL)`);
  return new Map(catalogue).set(namespace(database, name), collection);
}

export function removeCollection(handle: DatabaseSync, catalogue: Catalogue, collection: Collection): Catalogue {
  for (const index of collection.indexes) dropIndexTable(handle, index);
  handle.exec(`DROP TABLE ${tableOf(collection)}`);
  handle.prepare('DELETE FROM collections WHERE id = ?').run(collection.id);
  const next = new Map(catalogue);
  next.delete(namespace(collection.database, collection.name));
  return next;
}

function dropIndexTable(handle: DatabaseSync, index: Index): void {
  handle.exec(`DROP TABLE ${tableOfIndex(index)}`);
  handle.prepare('DELETE FROM indexes WHERE id = ?').run(index.id);
}

const withIndexes = (catalogue: Catalogue, collection: Collection, indexes: readonly Index[]): Catalogue =>
  new Map(catalogue).set(namespace(collection.database, collection.name), { ...collection, indexes });

/** Without entries for what the collection holds already. */
export function addIndex(
  handle: DatabaseSync,
  catalogue: Catalogue,
  collection: Collection,
  spec: Document,
): { catalogue: Catalogue; index: Index } {
  const { lastInsertRowid } = handle
    .prepare("INSERT INTO indexes (collection, spec, multi) VALUES (?, ?, '')")
    .run(collection.id, encode(spec));
  const index = indexOf(Number(lastInsertRowid), spec, []);
  handle.exec(`CREATE TABLE ${tableOfIndex(index)} (key BLOB PRIMARY KEY, record INTEGER NOT NULL) WITHOUT ROWID`);
  return { catalogue: withIndexes(catalogue, collection, [...collection.indexes, index]), index };
}

export function removeIndex(
  handle: DatabaseSync,
  catalogue: Catalogue,
  collection: Collection,
  index: Index,
): Catalogue {
  dropIndexTable(handle, index);
  return withIndexes(
    catalogue,
    collection,
    collection.indexes.filter(({ id }) => id !== index.id),
  );
}

/** Notes that arrays have been seen in these parts of an index. */
export function markMulti(
  handle: DatabaseSync,
  catalogue: Catalogue,
  collection: Collection,
  index: Index,
  seen: readonly boolean[],
): Catalogue {
  const multi = index.multi.map((flag, at) => flag || seen[at] === true);
  handle.prepare('UPDATE indexes SET multi = ? WHERE id = ?').run(multi.map(Number).join(), index.id);
  const present = catalogue.get(namespace(collection.database, collection.name)) ?? collection;
  return withIndexes(
    catalogue,
    present,
    present.indexes.map((each) => (each.id === index.id ? { ...each, multi } : each)),
  );
}
