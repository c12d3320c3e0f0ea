import { sharedServer } from '@platform-backend/testing';
import { mongo } from 'mongoose';
import { randomBytes } from 'node:crypto';
import { embedded, namedEngine, realEngine, type Engine } from './engines.ts';

export interface ThrowawayMongo {
  readonly url: string;
  /** As other throwaway databases have it; here it is the same for the service and its migration. */
  readonly appUrl: string;
  readonly ownerUrl: string;
  /** Removes the database. */
  readonly drop: () => Promise<void>;
}

/**
 * A fresh, empty database on a real MongoDB, on a compatible server where one is named, or else on our embedded one, which is what
 * everybody has. The server starts with the first call and is shared by all test files of a run, with which it ends and takes its data with it.
 */
export const throwawayMongo = (): Promise<ThrowawayMongo> =>
  throwawayMongoOn(realEngine() ?? namedEngine() ?? embedded);

export async function throwawayMongoOn(engine: Engine): Promise<ThrowawayMongo> {
  const module = new URL('./shared-mongo.ts', import.meta.url);
  module.searchParams.set('engine', engine.name);
  const url = new URL((await sharedServer<{ url: string }>(module)).url);
  url.pathname = `/test_${randomBytes(5).toString('hex')}`;
  // So that tests may look at what is sent.
  url.searchParams.set('monitorCommands', 'true');
  return {
    url: url.href,
    appUrl: url.href,
    ownerUrl: url.href,
    async drop() {
      await using client = await mongo.MongoClient.connect(url.href);
      await client.db().dropDatabase();
    },
  };
}
