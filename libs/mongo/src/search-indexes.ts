import type { mongo } from 'mongoose';
import { createHash } from 'node:crypto';

/** An index of MongoDB's own search, by words or by vectors, as `createSearchIndexes` takes it. */
export interface SearchIndex {
  readonly collection: string;
  readonly name: string;
  readonly type: 'search' | 'vectorSearch';
  readonly definition: Readonly<Record<string, unknown>>;
}

/** As `$listSearchIndexes` answers. */
interface PresentIndex {
  readonly name: string;
  readonly status: string;
  readonly queryable: boolean;
}

/** A server that knows of no search says so by one of these, depending on its version and on what it is compatible with. */
const UNSUPPORTED = new Set<unknown>([
  59, // CommandNotFound
  115, // CommandNotSupported
  238, // NotImplemented
  31_082, // SearchNotEnabled
  40_324, // an unknown stage
]);

const ALREADY_THERE = 68;

/**
 * The name it has in the database: another definition is another index, which is built beside the present one. What is no longer
 * asked is for a person to remove.
 */
export const searchIndexName = ({ name, definition }: SearchIndex): string =>
  `${name}_${createHash('sha256').update(JSON.stringify(definition)).digest('hex').slice(0, 8)}`;

async function presentIndex(db: mongo.Db, index: SearchIndex): Promise<PresentIndex | undefined> {
  const named = [{ $listSearchIndexes: { name: searchIndexName(index) } }];
  const [present] = await db.collection(index.collection).aggregate<PresentIndex>(named).toArray();
  return present;
}

/** Whether the index is there and can be asked. */
export const hasSearchIndex = async (db: mongo.Db, index: SearchIndex): Promise<boolean> =>
  (await presentIndex(db, index))?.queryable ?? false;

/** Creates the index where it is missing. True: it can be asked; false: it is being built. */
export async function ensureSearchIndex(db: mongo.Db, index: SearchIndex): Promise<boolean> {
  const name = searchIndexName(index);
  try {
    const present = await presentIndex(db, index);
    if (!present) {
      const { collection, type, definition } = index;
      await db.collection(collection).createSearchIndex({ name, type, definition }).catch(unlessThere);
      return false;
    }
    if (present.status === 'FAILED') throw new Error(`MongoDB could not build the search index ${name}`);
    return present.queryable;
  } catch (error) {
    throw isUnsupported(error) ? unsupported(error) : error;
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
const isUnsupported = (error: unknown): error is Error => UNSUPPORTED.has(codeOf(error));

/** Two replicas may create it at the same time. */
function unlessThere(error: unknown): void {
  if (codeOf(error) !== ALREADY_THERE) throw error;
}

const unsupported = (cause: Error): Error =>
  new Error(
    `this MongoDB has no search: it takes MongoDB Atlas, or MongoDB 8.2 or later with mongot beside it (it says: ${cause.message})`,
    { cause },
  );
