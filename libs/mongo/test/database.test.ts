import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@platform-backend/embedded';
import { recordSpans } from '@platform-backend/testing/recorded-spans';
import mongoose from 'mongoose';
import { openDatabase, type DatabaseOptions } from '../src/index.ts';
import { openLibraryDatabase, quiet } from './event-store.ts';
import { mongoProxy } from './mongo-proxy.ts';
import { throwawayMongo, type ThrowawayMongo } from './throwaway-mongo.ts';

let server: ThrowawayMongo;
beforeAll(async () => {
  server = await throwawayMongo();
});
afterAll(() => server.drop());

const opened = async <T>(
  options: Partial<DatabaseOptions>,
  use: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>,
): Promise<T> => {
  const database = await openLibraryDatabase(server.url, options);
  try {
    return await use(database);
  } finally {
    await database.close();
  }
};

describe('indexes of a MongoDB database', () => {
  it('that are missing are named at start, all of them', async () => {
    await opened({}, async (database) => {
      await expect(database.requireIndexes()).rejects.toThrow(
        /shelves_name of shelves is missing; .*outbox_sequence_id of outbox is missing/s,
      );
    });
  });

  it('are created once, however often that is asked for', async () => {
    await opened({}, async (database) => {
      expect(await database.createIndexes()).toContain('shelves_name');
      expect(await database.createIndexes()).toEqual([]);
      await database.requireIndexes();
    });
  });

  it('are never dropped, and one that means something else now is named', async () => {
    const schema = new mongoose.Schema({ title: String }).index({ organisationId: 1, title: 1 }, { name: 'by_title' });
    const other = new mongoose.Schema({ title: String }).index(
      { organisationId: 1, title: 1 },
      { name: 'by_title', unique: true },
    );
    await opened({ collections: { books: schema } }, (database) => database.createIndexes());
    await opened({ collections: { books: other } }, async (database) => {
      await expect(database.requireIndexes()).rejects.toThrow('the index by_title of books is not as it is declared');
      await expect(database.createIndexes()).rejects.toThrow('by_title of books is not as it is declared');
    });
    await opened({ collections: { books: new mongoose.Schema({ title: String }) } }, async (database) => {
      expect(await database.createIndexes()).toEqual([]);
      const names = (await database.unguarded.collection('books').indexes()).map(({ name }) => name);
      expect(names).toContain('by_title');
    });
  });
});

describe('a MongoDB database', () => {
  it('that is not there is unavailable, soon and with the cause kept inside', async () => {
    const url = `mongodb://127.0.0.1:${await freePort()}/nothing`;
    const opening = openDatabase({
      url,
      applicationName: 'test',
      logger: quiet,
      collections: {},
      acquireTimeoutMs: 200,
    });
    await expect(opening).rejects.toMatchObject({ kind: 'unavailable', message: 'Service Unavailable' });
  });

  it('answers whether it is there', async () => {
    await opened({}, (database) => database.ping());
  });

  it('ends a read that takes too long, and the caller hears of the deadline', async () => {
    await opened({ readLimitMs: 1 }, async (database) => {
      const books = database.unguarded.collection('effects');
      await books.insertMany(Array.from({ length: 3_000 }, (_, number) => ({ number, organisationId: 'org_1' })));
      const group = { $group: { _id: null, all: { $push: '$number' } } };
      const slow = database.tenant('org_1', () =>
        database
          .model('effects')
          .aggregate([group, { $unwind: '$all' }, group, { $unwind: '$all' }, group, { $unwind: '$all' }]),
      );
      await expect(slow).rejects.toMatchObject({ kind: 'deadline_exceeded' });
    });
  });

  it('gives an organisation its share alone: one that wants everything does not keep others waiting', async () => {
    await opened({ poolMax: 5, share: 1 }, async (database) => {
      let finish = (): void => undefined;
      const long = database.tenant('org_1', () => new Promise<void>((resolve) => (finish = resolve)));
      let second = false;
      const waiting = database.tenant('org_1', () => Promise.resolve((second = true)));
      await database.tenant('org_2', () => database.model('effects').findOne().exec());
      expect(second).toBe(false);
      finish();
      await Promise.all([long, waiting]);
    });
  });

  it('updates what somebody else has inserted at the same moment, as MongoDB leaves to whoever asks', async () => {
    const collections = { marks: new mongoose.Schema({ _id: String, by: String }).index({ organisationId: 1 }) };
    let isRaced = false;
    const raced = await mongoProxy(server.url, async (command) => {
      if (!('update' in command) || isRaced) return undefined;
      isRaced = true;
      const theirs = { _id: 'a', organisationId: 'o', by: 'them' };
      await opened({}, ({ unguarded }) => unguarded.collection<typeof theirs>('marks').insertOne(theirs));
      const errmsg = 'E11000 duplicate key error collection: library.marks index: _id_ dup key: { _id: "a" }';
      return { n: 0, nModified: 0, writeErrors: [{ index: 0, code: 11_000, errmsg }] };
    });
    const database = await openDatabase({ url: raced.url, applicationName: 'test', logger: quiet, collections });
    try {
      const marks = database.model<{ _id: string; by: string }>('marks');
      const mark = (organisationId: string) =>
        database.tenant(organisationId, () =>
          marks.updateOne({ _id: 'a' }, { $setOnInsert: { by: 'us' } }, { upsert: true }).exec(),
        );
      expect(await mark('o')).toMatchObject({ matchedCount: 1 });
      expect(await database.tenant('o', () => marks.findOne({ _id: 'a' }).lean().exec())).toMatchObject({ by: 'them' });
      await expect(mark('other')).rejects.toMatchObject({ code: 11_000 });
    } finally {
      await database.close();
      await raced.close();
    }
  });

  it('knows no collection that was not declared', async () => {
    await opened({}, (database) => {
      expect(() => database.model('unheard_of')).toThrow('there is no collection unheard_of');
      return Promise.resolve();
    });
  });
});

describe('commands of MongoDB', () => {
  it('that are part of a trace have spans, named by what they do and to which collection, without values', async () => {
    const spans = recordSpans();
    const title = 'a title that nobody else may read';
    const schema = new mongoose.Schema({ title: String }).index(
      { organisationId: 1, title: 1 },
      { name: 'one_title', unique: true },
    );
    await opened({ collections: { volumes: schema } }, async (database) => {
      await database.createIndexes();
      const volumes = database.model<{ title: string }>('volumes');
      spans.forget();
      await database.tenant('org_traced', () => volumes.find({ title }));
      expect(spans.finished()).toEqual([]);
      const traceId = await spans.within('the call', async (span) => {
        const both = Array.from({ length: 2 }, () =>
          database.tenant('org_traced', () => volumes.create({ title })).catch(() => undefined),
        );
        await Promise.all(both);
        await database.tenant('org_traced', () => volumes.find({ title }));
        await database.transaction('org_traced', () => volumes.deleteOne({ title }));
        return span.spanContext().traceId;
      });
      const found = spans.finished().filter(({ name }) => name !== 'the call');
      expect(found.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['insert volumes', 'find volumes', 'delete volumes', 'commitTransaction']),
      );
      for (const span of found) expect(span.spanContext().traceId).toBe(traceId);
      const { hostname, port, pathname } = new URL(server.url);
      expect(found.find(({ name }) => name === 'find volumes')?.attributes).toEqual({
        'db.system.name': 'mongodb',
        'db.namespace': pathname.slice(1),
        'db.operation.name': 'find',
        'db.collection.name': 'volumes',
        'server.address': hostname,
        'server.port': Number(port),
      });
      const told = JSON.stringify(
        found.map(({ name, attributes, events, status }) => [name, attributes, events, status]),
      );
      for (const value of ['org_traced', title]) expect(told).not.toContain(value);
    });
    await spans.stop();
  });
});
