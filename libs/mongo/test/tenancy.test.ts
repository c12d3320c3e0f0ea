import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { repetitions } from '@platform-backend/testing';
import fc from 'fast-check';
import mongoose, { type Model } from 'mongoose';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase, withEvents, withLimits, withoutLimits, type Database, type Limits } from '../src/index.ts';
import { operationsOf, rules } from '../src/scoped-collection.ts';
import { quiet } from './event-store.ts';
import { throwawayMongo, type ThrowawayMongo } from './throwaway-mongo.ts';

interface Book {
  _id: string;
  organisationId: string;
  title: string;
  copies: number;
  authors: string[];
  sequel?: string;
}

const { Schema } = mongoose;
const collections = {
  books: new Schema({
    _id: String,
    title: String,
    copies: Number,
    authors: [String],
    sequel: { type: String, ref: 'books' },
  }).index({ organisationId: 1, title: 1 }),
  shelves: withEvents(new Schema({ _id: String, name: String })),
};

let server: ThrowawayMongo;
let database: Database;
let Books: Model<Book>;
/** Names of the commands that reached the server since the last look. */
let commands: string[] = [];

const bookOf = (organisationId: string, number: number): Book => ({
  _id: `${organisationId} ${number}`,
  organisationId,
  title: `a book of ${organisationId}`,
  copies: number,
  authors: [organisationId],
  sequel: `org_b ${number}`,
});
const theirs = [1, 2, 3].map((number) => bookOf('org_b', number));

const allOf = (organisationId: string) =>
  database.unguarded.collection<Book>('books').find({ organisationId }).sort({ _id: 1 }).toArray();

const expectNoScripts = (error: unknown): void => {
  if (!String(error).includes('ScriptEngine')) throw error;
};

const untyped = (model: Model<Book>) => model as unknown as Model<Record<string, unknown>>;

type Calls = Readonly<Record<string, (model: Model<Book>) => unknown>>;
const any = { copies: { $gt: 0 } };

/** Every way of a model to the documents, asking for those of everybody. */
const calls: Calls = {
  // Not every server has a language for it.
  $where: (model) => model.$where('true').catch(expectNoScripts),
  aggregate: (model) => model.aggregate([{ $group: { _id: '$title', copies: { $sum: '$copies' } } }]),
  bulkSave: async (model) => model.bulkSave(await model.find(any)),
  bulkWrite: (model) =>
    untyped(model).bulkWrite([
      { updateMany: { filter: any, update: { $inc: { copies: 1 } } } },
      { updateOne: { filter: { _id: 'org_b 1' }, update: { $inc: { copies: 1 } } } },
      { replaceOne: { filter: { _id: 'org_b 1' }, replacement: { title: 'mine' } } },
      { deleteOne: { filter: { _id: 'org_b 2' } } },
      { deleteMany: { filter: any } },
      { insertOne: { document: { _id: 'new', title: 'new' } } },
    ]),
  countDocuments: async (model) => {
    expect(await model.countDocuments(any)).toBe(3);
  },
  create: (model) => model.create({ _id: 'new', title: 'new', organisationId: 'org_a' }),
  deleteMany: (model) => model.deleteMany(any),
  deleteOne: (model) => model.deleteOne({ _id: 'org_b 1' }),
  distinct: (model) => model.distinct('title'),
  exists: (model) => model.exists({ _id: 'org_b 1' }),
  find: (model) => model.find(any),
  findById: (model) => model.findById('org_b 1'),
  findByIdAndDelete: (model) => model.findByIdAndDelete('org_b 1'),
  findByIdAndUpdate: (model) => model.findByIdAndUpdate('org_b 1', { title: 'mine' }),
  findOne: (model) => model.findOne({ _id: 'org_b 1' }),
  findOneAndDelete: (model) => model.findOneAndDelete({ _id: 'org_b 1' }),
  findOneAndReplace: (model) => model.findOneAndReplace({ _id: 'org_b 1' }, { title: 'mine' }),
  findOneAndUpdate: (model) => model.findOneAndUpdate({ _id: 'org_b 1' }, { title: 'mine' }),
  insertMany: (model) => model.insertMany([{ _id: 'new', title: 'new' }]),
  insertOne: (model) => model.insertOne({ _id: 'new', title: 'new' }),
  populate: async (model) => {
    // By value, so that what is not there is null and not the id itself.
    const [book] = await model.populate(await model.find(any), { path: 'sequel' });
    expect(book?.sequel).toBeNull();
  },
  replaceOne: (model) => model.replaceOne({ _id: 'org_b 1' }, { title: 'mine' }),
  updateMany: (model) => model.updateMany(any, { $set: { title: 'mine' } }),
  updateOne: (model) => model.updateOne({ _id: 'org_b 1' }, { $set: { title: 'mine' } }),
  where: (model) => model.where('copies').gt(0).find(),
};

/** Refused inside an organisation as well: they see the whole collection. */
const refused: Calls = {
  cleanIndexes: (model) => model.cleanIndexes(),
  createIndexes: (model) => model.createIndexes(),
  createSearchIndex: (model) => model.createSearchIndex({ name: 'x', definition: {} }),
  diffIndexes: (model) => model.diffIndexes(),
  dropSearchIndex: (model) => model.dropSearchIndex('x'),
  ensureIndexes: (model) => model.ensureIndexes(),
  estimatedDocumentCount: (model) => model.estimatedDocumentCount(),
  listIndexes: (model) => model.listIndexes(),
  listSearchIndexes: (model) => model.listSearchIndexes(),
  syncIndexes: (model) => model.syncIndexes(),
  updateSearchIndex: (model) => model.updateSearchIndex('x', {}),
  watch: async (model) => {
    const changes = model.watch();
    const [error] = (await once(changes, 'error')) as [Error];
    await changes.close();
    throw error;
  },
};

/** What works on objects alone, makes other models of the same collection, or listens to events of the model. */
const withoutDocuments = new Set(
  `$__updateConnection Query __subclass _applyQueryMiddleware addListener applyDefaults applyTimestamps applyVirtuals
  buildBulkWriteOperations castObject clientEncryption compile createCollection createSearchIndexes discriminator emit eventNames findAndCount
  getMaxListeners hydrate init inspect listenerCount listeners model namespace off on once prependListener
  prependOnceListener rawListeners recompileSchema removeAllListeners removeListener setMaxListeners startSession
  translateAliases useConnection validate`.split(/\s+/),
);

function staticsOf(model: object): string[] {
  const names = new Set<string>();
  for (let owner = model; owner !== Function.prototype; owner = Object.getPrototypeOf(owner) as object) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (typeof value === 'function') names.add(name);
    }
  }
  return [...names];
}

const messageOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return 'nothing was thrown';
  } catch (error) {
    return String(error);
  }
};

beforeAll(async () => {
  server = await throwawayMongo();
  const { url } = server;
  database = await openDatabase({ url, applicationName: 'test', logger: quiet, collections });
  database.unguarded.client.on('commandStarted', ({ commandName }) => commands.push(commandName));
  Books = database.model<Book>('books');
});
afterAll(async () => {
  await database.close();
  await server.drop();
});
beforeEach(async () => {
  await database.unguarded.collection('books').deleteMany({});
  await database.unguarded.collection<Book>('books').insertMany([1, 2, 3].map((number) => bookOf('org_a', number)));
  await database.unguarded.collection<Book>('books').insertMany(theirs);
  commands = [];
});

describe('a model of an organisation', () => {
  it('offers nothing that these tests do not know: whoever updates mongoose says what a new way does', () => {
    const known = new Set([...Object.keys(calls), ...Object.keys(refused), ...withoutDocuments]);
    expect(staticsOf(Books).filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(Object.entries({ ...calls, ...refused }))('refuses %s outside of an organisation', async (_name, call) => {
    expect(await messageOf(() => call(Books))).toMatch(
      /^Error: books\.\w+ without an organisation|`organisationId` is required/,
    );
    expect(commands).toEqual([]);
  });

  it.each(Object.entries(calls))('keeps %s to the organisation', async (_name, call) => {
    const answer = await database.tenant<unknown>('org_a', () => Promise.resolve(call(Books)));
    expect(JSON.stringify(answer ?? null)).not.toContain('book of org_b');
    expect(await allOf('org_b')).toEqual(theirs);
    expect(commands).not.toEqual([]);
  });

  it.each(Object.entries(refused))('refuses %s inside an organisation too', async (_name, call) => {
    expect(await messageOf(() => database.tenant<unknown>('org_a', () => Promise.resolve(call(Books))))).toMatch(
      /cannot be kept to one organisation: use acrossOrganisations/,
    );
    expect(commands).toEqual([]);
  });

  it('refuses cursors, documents and other models of its collection as well', async () => {
    const refusal = /without an organisation/;
    const [book] = await database.tenant('org_a', () => Books.find().exec());
    expect(await messageOf(() => book?.set('title', 'changed').save())).toMatch(refusal);
    expect(await messageOf(() => book?.deleteOne())).toMatch(refusal);
    expect(await messageOf(() => book?.updateOne({ title: 'changed' }))).toMatch(refusal);
    expect(await messageOf(() => Books.find().cursor().next())).toMatch(refusal);
    expect(
      await messageOf(() =>
        Books.aggregate([{ $match: {} }])
          .cursor()
          .next(),
      ),
    ).toMatch(refusal);
    expect(await messageOf(() => Books.discriminator('Novel', new Schema({})).find())).toMatch(refusal);
    expect(await messageOf(() => Books.db.collection('books').find())).toMatch(refusal);
    expect(await allOf('org_a')).toEqual([1, 2, 3].map((number) => bookOf('org_a', number)));
  });
});

describe("the driver's collection of a model", () => {
  const operations = operationsOf(mongoose.mongo.Collection);

  it('has all that is guarded', () => {
    expect(Object.keys(rules).filter((name) => !operations.includes(name))).toEqual([]);
  });

  it.each(operations)('refuses %s outside of an organisation', async (operation) => {
    const run = Reflect.get(Books.collection, operation) as (...given: unknown[]) => unknown;
    expect(await messageOf(() => run({}, {}))).toMatch(/without an organisation/);
    expect(commands).toEqual([]);
  });
});

describe('work of an organisation', () => {
  it('may not be nobody', async () => {
    await expect(database.tenant('', () => Promise.resolve())).rejects.toThrow('needs an organisation');
  });

  it('whatever it asks for, neither sees nor touches documents of others', async () => {
    const foreign = fc.constantFrom<object>(
      {},
      { organisationId: 'org_b' },
      { organisationId: { $ne: 'org_a' } },
      { organisationId: { $exists: true } },
      { $or: [{ organisationId: 'org_b' }, { organisationId: 'org_a' }] },
      { $nor: [{ organisationId: 'org_a' }] },
      { _id: 'org_b 1' },
      { $expr: { $eq: ['$organisationId', 'org_b'] } },
      { _id: { $in: ['org_a 1', 'org_b 1'] } },
    );
    const wish = fc.tuple(foreign, foreign).map(([one, other]) => ({ $and: [one, other] }));
    const change = fc.constantFrom<object>(
      { $set: { title: 'mine' } },
      { $set: { organisationId: 'org_b' } },
      { $unset: { organisationId: '' } },
      { $rename: { title: 'organisationId' } },
      { $setOnInsert: { organisationId: 'org_b' } },
      [{ $set: { organisationId: 'org_b' } }],
      [{ $replaceWith: { organisationId: 'org_b' } }],
      [{ $unset: 'organisationId' }],
      [{ $set: { title: 'mine' } }],
    );
    const documents = () => Books.collection;
    const operation = fc.oneof(
      wish.map(
        (filter) => () =>
          documents()
            .find(filter as never)
            .toArray(),
      ),
      wish.map((filter) => () => documents().distinct('title', filter as never)),
      fc.tuple(wish, change, fc.boolean()).map(([filter, update, upsert]) => async () => {
        await documents().updateMany(filter, update, { upsert });
      }),
      fc.tuple(wish, change).map(
        ([filter, update]) =>
          () =>
            documents().findOneAndUpdate(filter, update),
      ),
      wish.map((filter) => () => documents().deleteMany(filter)),
      wish.map((filter) => () => documents().findOneAndReplace(filter, { title: 'mine' })),
      wish.map(
        (filter) => () =>
          documents()
            .aggregate([{ $match: filter }])
            .toArray(),
      ),
      wish.map(
        (filter) => () =>
          documents()
            .aggregate([{ $facet: { all: [{ $unionWith: 'books' }, { $match: filter }] } }])
            .toArray(),
      ),
      wish.map(
        (filter) => () =>
          documents()
            .aggregate([{ $match: filter }, { $lookup: { from: 'books', pipeline: [], as: 'all' } }])
            .toArray(),
      ),
      fc.constantFrom('$merge', '$out').map(
        (stage) => () =>
          documents()
            .aggregate([{ [stage]: 'books' }])
            .toArray(),
      ),
    );
    await fc.assert(
      fc.asyncProperty(operation, async (run) => {
        // A refusal is as good as an answer without them.
        const answer = await database.tenant<unknown>('org_a', run).catch((error: unknown) => String(error));
        expect(JSON.stringify(answer ?? null)).not.toContain('book of org_b');
        expect(await allOf('org_b')).toEqual(theirs);
        const owners = await database.unguarded.collection('books').distinct('organisationId');
        expect(owners.filter((owner) => owner !== 'org_a' && owner !== 'org_b')).toEqual([]);
        expect(
          await database.unguarded.collection('books').countDocuments({ organisationId: { $exists: false } }),
        ).toBe(0);
      }),
      { numRuns: repetitions({ usual: 20, long: 300 }) },
    );
  });

  it('refuses to insert for another one', async () => {
    const smuggled = database.tenant('org_a', () => Books.create({ _id: 'x', organisationId: 'org_b', title: 'x' }));
    await expect(smuggled).rejects.toThrow('of another organisation');
  });

  it('is part of work of the same organisation around it, and refused in that of another', async () => {
    const count = () => Books.countDocuments().exec();
    expect(await database.tenant('org_a', () => database.tenant('org_a', count))).toBe(3);
    await expect(database.tenant('org_a', () => database.tenant('org_b', count))).rejects.toThrow('another one');
    await expect(database.tenant('org_a', () => database.acrossOrganisations(count))).rejects.toThrow(
      'inside other work',
    );
    await expect(database.acrossOrganisations(() => database.tenant('org_a', count))).rejects.toThrow('or of all');
  });

  it('refuses what it has left running', async () => {
    let late: Promise<unknown> = Promise.resolve();
    await database.tenant('org_a', () => {
      late = delay(20).then(() => Books.find().exec());
      return Promise.resolve();
    });
    await expect(late).rejects.toThrow('without an organisation');
  });

  it('keeps apart what runs at the same time', async () => {
    const seen = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const own = index % 2 ? 'org_a' : 'org_b';
        return database.tenant(own, async () => {
          await delay(Math.random() * 5);
          const owners = (await Books.find().lean()).map(({ organisationId }) => organisationId);
          return owners.every((owner) => owner === own);
        });
      }),
    );
    expect(seen).not.toContain(false);
  });
});

describe('work across organisations', () => {
  it('sees and changes the documents of all', async () => {
    await database.acrossOrganisations(() => Books.updateMany({ copies: 1 }, { $inc: { copies: 10 } }));
    const copies = await database.acrossOrganisations(() => Books.distinct('copies').exec());
    expect(copies.toSorted()).toEqual([11, 2, 3]);
  });

  it('removes nothing that may still hold events, as little as any other work', async () => {
    const Shelves = database.model('shelves');
    const removals = [
      () => Shelves.deleteMany({}),
      () => Shelves.findOneAndDelete({}),
      () => Shelves.replaceOne({}, { name: 'x' }),
      () => Shelves.bulkWrite([{ deleteMany: { filter: {} } }]),
    ];
    for (const removal of removals) {
      expect(await messageOf(() => database.acrossOrganisations(() => Promise.resolve(removal())))).toMatch(
        'would lose events',
      );
      expect(await messageOf(() => database.tenant('org_a', () => Promise.resolve(removal())))).toMatch(
        'would lose events',
      );
    }
  });
});

it('a unique index over all organisations is refused: it would tell one of the other', async () => {
  const books = new Schema({ title: { type: String, unique: true } });
  const opening = openDatabase({ url: server.url, applicationName: 'x', logger: quiet, collections: { books } });
  await expect(opening).rejects.toThrow('has to begin with organisationId');
});

describe('work within limits', () => {
  const few = (): Promise<Limits> => Promise.resolve({ books: { filter: { copies: { $lt: 3 } } } });

  beforeEach(async () => {
    await database.unguarded.collection<Book>('books').deleteMany({});
    await database.unguarded.collection<Book>('books').insertMany(theirs);
  });

  it('finds, counts, changes and removes nothing else of its organisation, in a transaction as well', async () => {
    await withLimits(few, async () => {
      for (const within of ['tenant', 'transaction'] as const)
        await database[within]('org_b', async () => {
          expect(await Books.countDocuments({})).toBe(2);
          expect(await Books.findOne({ _id: 'org_b 3' }).lean()).toBeNull();
          expect(await Books.aggregate([{ $match: { copies: 3 } }])).toEqual([]);
        });
      await database.tenant('org_b', async () => {
        expect(await Books.updateOne({ _id: 'org_b 3' }, { title: 'mine' })).toMatchObject({ matchedCount: 0 });
        expect(await Books.deleteMany({})).toMatchObject({ deletedCount: 2 });
      });
    });
    expect(await allOf('org_b')).toMatchObject([{ _id: 'org_b 3', title: 'a book of org_b' }]);
  });

  it('are asked for anew whenever work begins, and hold for none that is the own of the service', async () => {
    let isLimited = true;
    const limits = () => Promise.resolve(isLimited ? { books: { filter: { copies: 0 } } } : undefined);
    const count = () => database.tenant('org_b', () => Books.countDocuments({}).exec());
    await withLimits(limits, async () => {
      expect(await count()).toBe(0);
      expect(await withoutLimits(count)).toBe(3);
      expect(await database.acrossOrganisations(() => Books.countDocuments({}).exec())).toBe(3);
      isLimited = false;
      expect(await count()).toBe(3);
    });
  });

  it('hold for none that is the own of the service inside of others, and for what follows again', async () => {
    const count = () => database.tenant('org_b', () => Books.countDocuments({}).exec());
    await withLimits(few, async () => {
      for (const within of ['tenant', 'transaction'] as const)
        await database[within]('org_b', async () => {
          expect(await withoutLimits(count)).toBe(3);
          expect(await count()).toBe(2);
        });
    });
  });

  it('may be about what is read alone', async () => {
    const reads = () => Promise.resolve({ books: { filter: { copies: 0 }, readsOnly: true } });
    await withLimits(reads, () =>
      database.tenant('org_b', async () => {
        expect(await Books.find({}).lean()).toEqual([]);
        expect(await Books.updateMany({}, { title: 'new' })).toMatchObject({ matchedCount: 3 });
      }),
    );
  });
});
