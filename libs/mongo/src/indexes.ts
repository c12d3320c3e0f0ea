import type { mongo, Schema } from 'mongoose';
import { isDeepStrictEqual } from 'node:util';

/** An index as it was declared; `options` holds its name. */
export interface DeclaredIndex {
  readonly collection: string;
  readonly key: Readonly<Record<string, number | string>>;
  readonly options: mongo.CreateIndexesOptions & { readonly name: string };
}

/** `reports_organisationId_createdAt`: unique in the whole database, so that it can be refused by its name alone. */
const nameOf = (collection: string, key: object): string => [collection, ...Object.keys(key)].join('_');

/** All that a schema declares, by field or by `schema.index`. */
export function indexesOf(collection: string, schema: Schema): DeclaredIndex[] {
  return schema.indexes().map(([key, { background: _background, ...options }]) => ({
    collection,
    key,
    options: { name: nameOf(collection, key), ...(options as mongo.CreateIndexesOptions) },
  }));
}

/** What is declared and not there, or there with another meaning: one line each. */
export async function problemsOfIndexes(db: mongo.Db, declared: readonly DeclaredIndex[]): Promise<string[]> {
  const present = await collectionsIn(db);
  const collections = Map.groupBy(declared, ({ collection }) => collection);
  const problems = await Promise.all(
    [...collections].map(async ([collection, wanted]) => {
      const indexes = present.has(collection) ? await indexesIn(db, collection) : none;
      return wanted.flatMap((index) => problemOf(index, indexes));
    }),
  );
  return problems.flat();
}

/**
 * Creates what is missing, all of a collection by one command, and returns the names. Nothing is dropped: an index that is not declared
 * any more, or means something else now, is for a person to remove, who knows what a rebuild costs.
 */
export async function createMissingIndexes(db: mongo.Db, declared: readonly DeclaredIndex[]): Promise<string[]> {
  const collections = await collectionsIn(db);
  const created: string[] = [];
  for (const [collection, wanted] of Map.groupBy(declared, (index) => index.collection)) {
    const present = collections.has(collection) ? await indexesIn(db, collection) : none;
    const changed = wanted.flatMap((index) => (present.has(index.options.name) ? problemOf(index, present) : []));
    if (changed.length > 0) throw new Error(`${changed.join('; ')}: remove what is there, or give the new one a name`);
    const missing = wanted.filter(({ options }) => !present.has(options.name));
    if (missing.length === 0) continue;
    const descriptions = missing.map(({ key, options }) => ({ ...options, key }) as mongo.IndexDescription);
    created.push(...(await db.collection(collection).createIndexes(descriptions)));
  }
  return created;
}

type IndexesByName = ReadonlyMap<string, mongo.IndexDescriptionInfo>;

const none: IndexesByName = new Map();

const collectionsIn = async (db: mongo.Db): Promise<ReadonlySet<string>> =>
  new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));

const indexesIn = async (db: mongo.Db, collection: string): Promise<IndexesByName> =>
  new Map((await db.collection(collection).indexes()).map((index) => [index.name ?? '', index]));

function problemOf({ collection, key, options }: DeclaredIndex, present: IndexesByName): string[] {
  const index = present.get(options.name);
  if (!index) return [`the index ${options.name} of ${collection} is missing`];
  const isSame =
    isDeepStrictEqual(Object.entries(index.key), Object.entries(key)) &&
    Boolean(index.unique) === Boolean(options.unique) &&
    Boolean(index.sparse) === Boolean(options.sparse) &&
    index.expireAfterSeconds === options.expireAfterSeconds &&
    isDeepStrictEqual(index.partialFilterExpression, options.partialFilterExpression) &&
    localeOf(index) === localeOf(options);
  return isSame ? [] : [`the index ${options.name} of ${collection} is not as it is declared`];
}

const localeOf = ({ collation }: { collation?: unknown }): string | undefined =>
  (collation as mongo.CollationOptions | undefined)?.locale;
