import { mongo } from 'mongoose';
import { mongoProxy, type Command } from './mongo-proxy.ts';
import { SearchDouble } from './search-double.ts';

export interface MongoWithSearch {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export interface MongoWithSearchOptions {
  /** How long an index is built. */
  readonly buildsForMs?: number;
}

/** The name of the stage that a server without search does not know. */
const stageOf = ({ pipeline }: Command): string =>
  Array.isArray(pipeline) ? (Object.keys((pipeline as object[])[0] ?? {})[0] ?? '') : '';

/**
 * A database as it is on MongoDB with search: a double in front of one without it answers `createSearchIndexes`, `$listSearchIndexes`,
 * `$vectorSearch`, `$search` and `$searchMeta` as MongoDB documents them, and hands on all else. Its indexes follow the collection with a delay,
 * and answer nothing while they are built.
 */
export async function mongoWithSearch(
  backing: string,
  { buildsForMs = 100 }: MongoWithSearchOptions = {},
): Promise<MongoWithSearch> {
  const client = await mongo.MongoClient.connect(backing);
  const double = new SearchDouble(client, buildsForMs);
  const proxy = await mongoProxy(backing, async (command) => {
    const database = String(command['$db']);
    if ('createSearchIndexes' in command)
      return double.create(database, String(command['createSearchIndexes']), command['indexes']);
    if (!('aggregate' in command)) return undefined;
    const collection = String(command['aggregate']);
    const answered = await double.aggregate(database, collection, stageOf(command), command['pipeline'] as object[]);
    return answered && { cursor: { firstBatch: answered, id: mongo.Long.ZERO, ns: `${database}.${collection}` } };
  });
  return {
    url: proxy.url,
    async close() {
      await proxy.close();
      await double.close();
      await client.close();
    },
  };
}
