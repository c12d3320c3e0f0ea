import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { embedded, type Engine } from '../engines.ts';
import { throwawayMongoOn, type ThrowawayMongo } from '../throwaway-mongo.ts';

const { Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId } = mongo;

type Thing = mongo.Document & { _id: number };

/** The error of the server that a promise ends with. */
async function refusal(work: Promise<unknown>): Promise<mongo.MongoServerError> {
  const error: unknown = await work.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof mongo.MongoServerError) return error;
  throw error;
}

/** Documented behaviour of MongoDB that this library and its services rely on. */
export function conformanceSuite(engine: Engine): void {
  describe(`on ${engine.name}`, () => {
    let server: ThrowawayMongo;
    let client: mongo.MongoClient;
    let things: mongo.Collection<Thing>;
    /** As it is stored: a number is an object that says its type. */
    let typed: mongo.Collection<Thing>;

    beforeAll(async () => {
      server = await throwawayMongoOn(engine);
      client = await mongo.MongoClient.connect(server.url);
      things = client.db().collection('things');
      typed = client.db().collection('things', { promoteValues: false });
    });
    afterAll(async () => {
      await client.close();
      await server.drop();
    });
    beforeEach(async () => {
      await things.drop();
      await client.db().createCollection('things');
    });

    const add = (...documents: Thing[]) => things.insertMany(documents);
    const index = (key: mongo.IndexSpecification, options: mongo.CreateIndexesOptions = {}) =>
      things.createIndex(key, options, {});
    const ids = async (filter: object, sort: mongo.Sort = { _id: 1 }) =>
      (await things.find(filter).sort(sort).toArray()).map(({ _id }) => _id);
    /** With numeric types, and fields in their order. */
    const exactly = (document: unknown) => mongo.BSON.EJSON.stringify(document, { relaxed: false });
    const session = async <T>(work: (session: mongo.ClientSession) => Promise<T>): Promise<T> => {
      const own = client.startSession();
      try {
        return await work(own);
      } finally {
        await own.endSession();
      }
    };

    describe('the order of values', () => {
      const ordered = [
        new MinKey(),
        null,
        new Double(NaN),
        new Int32(-1),
        new Double(0.5),
        Long.fromString('9007199254740992'),
        Decimal128.fromString('9007199254740992.5'),
        Long.fromString('9007199254740993'),
        '',
        'Z',
        'a',
        '\uFFFD',
        '\u{1F600}',
        {},
        { a: 1 },
        { b: 0 },
        { a: 'x' },
        new mongo.Binary(Buffer.from('zz')),
        new mongo.Binary(Buffer.from('aaa')),
        new ObjectId('0123456789abcdef01234567'),
        false,
        true,
        new Date(-1),
        new Date(1),
        new mongo.Timestamp({ t: 1, i: 1 }),
        new MaxKey(),
      ];

      it.each([undefined, 1, -1] as const)(
        'of different types is the one of MongoDB, with an index in the direction %p too',
        async (direction) => {
          if (direction !== undefined) await index({ value: direction });
          const mixed = ordered.map((value, index) => ({ _id: index, value }));
          await add(...mixed.toSorted((one, other) => ((one._id * 7) % 26) - ((other._id * 7) % 26)));
          expect(await ids({}, { value: 1 })).toEqual(ordered.map((_, index) => index));
          expect(await ids({}, { value: -1 })).toEqual(ordered.map((_, index) => index).toReversed());
        },
      );

      it('takes the least element of an array, or the greatest, and an empty one before null', async () => {
        await add({ _id: 1, a: [5, 1] }, { _id: 2, a: 2 }, { _id: 3, a: [] }, { _id: 4 }, { _id: 5, a: [3] });
        expect(await ids({}, { a: 1, _id: 1 })).toEqual([3, 4, 1, 2, 5]);
        expect(await ids({}, { a: -1, _id: 1 })).toEqual([1, 5, 2, 4, 3]);
        await index({ a: 1 });
        expect(await ids({}, { a: 1, _id: 1 })).toEqual([3, 4, 1, 2, 5]);
      });
    });

    describe('a validator', () => {
      const name = { bsonType: 'string', maxLength: 3 };
      const validator = { $jsonSchema: { bsonType: 'object', required: ['name'], properties: { name } } };
      const validate = (options: object) => client.db().command({ collMod: 'things', ...options });

      it('refuses what does not fulfil it with code 121, and explains why', async () => {
        await validate({ validator });
        const { code, errInfo } = await refusal(things.insertOne({ _id: 1, name: 5 }));
        expect(code).toBe(121);
        expect(errInfo).toMatchObject({
          failingDocumentId: 1,
          details: {
            operatorName: '$jsonSchema',
            schemaRulesNotSatisfied: [
              {
                operatorName: 'properties',
                propertiesNotSatisfied: [
                  {
                    propertyName: 'name',
                    details: [
                      {
                        operatorName: 'bsonType',
                        specifiedAs: { bsonType: 'string' },
                        reason: 'type did not match',
                        consideredValue: 5,
                        consideredType: 'int',
                      },
                    ],
                  },
                ],
              },
            ],
          },
        });
        expect((await refusal(things.insertOne({ _id: 2 }))).errInfo?.['details']).toMatchObject({
          schemaRulesNotSatisfied: [{ operatorName: 'required', missingProperties: ['name'] }],
        });
        await add({ _id: 3, name: '🙂🙂🙂' });
        await expect(things.updateOne({ _id: 3 }, { $set: { name: 'four' } })).rejects.toMatchObject({ code: 121 });
        await expect(
          things.findOneAndUpdate({ _id: 4 }, { $set: { name: 1 } }, { upsert: true }),
        ).rejects.toMatchObject({ code: 121 });
        expect(await ids({})).toEqual([3]);
      });

      it('that is moderate lets be what was not so before, and a strict one does not', async () => {
        await add({ _id: 1 });
        await validate({ validator, validationLevel: 'moderate' });
        await things.updateOne({ _id: 1 }, { $set: { seen: true } });
        await expect(things.insertOne({ _id: 2 })).rejects.toMatchObject({ code: 121 });
        await validate({ validationLevel: 'strict' });
        await expect(things.updateOne({ _id: 1 }, { $set: { seen: false } })).rejects.toMatchObject({ code: 121 });
      });

      it('is listed as it was given, may be passed by, and goes by an empty one', async () => {
        await validate({ validator, validationLevel: 'moderate', validationAction: 'error' });
        const [listed] = await client.db().listCollections({ name: 'things' }, { nameOnly: false }).toArray();
        expect(listed?.options).toEqual({ validator, validationLevel: 'moderate', validationAction: 'error' });
        await things.insertOne({ _id: 1 }, { bypassDocumentValidation: true });
        await validate({ validator: {} });
        await add({ _id: 2 });
        expect(await ids({ $jsonSchema: { required: ['name'] } })).toEqual([]);
      });
    });

    describe('a filter', () => {
      it('tells embedded documents with another order of fields apart', async () => {
        await add({ _id: 1, a: { x: 1, y: 2 } }, { _id: 2, a: { y: 2, x: 1 } });
        expect(await ids({ a: { x: 1, y: 2 } })).toEqual([1]);
        await index({ a: 1 });
        expect(await ids({ a: { y: 2, x: 1 } })).toEqual([2]);
      });

      it.each([false, true])('knows null from missing where it is asked to (index: %p)', async (indexed) => {
        if (indexed) await index({ a: 1 });
        await add({ _id: 1, a: null }, { _id: 2 }, { _id: 3, a: 0 }, { _id: 4, a: [null] }, { _id: 5, a: [] });
        expect(await ids({ a: null })).toEqual([1, 2, 4]);
        expect(await ids({ a: { $exists: false } })).toEqual([2]);
        expect(await ids({ a: { $exists: true, $eq: null } })).toEqual([1, 4]);
        expect(await ids({ a: { $ne: null } })).toEqual([3, 5]);
        expect(await ids({ a: { $in: [null, 0] } })).toEqual([1, 2, 3, 4]);
        expect(await ids({ a: { $lte: null } })).toEqual([1, 2, 4]);
        expect(await ids({ a: { $type: 'null' } })).toEqual([1, 4]);
      });

      it.each([false, true])(
        'lets other elements of an array fulfil each bound of a range (index: %p)',
        async (indexed) => {
          if (indexed) await index({ a: 1 });
          await add({ _id: 1, a: [1, 10] }, { _id: 2, a: [5] }, { _id: 3, a: [1] }, { _id: 4, a: 5 });
          expect(await ids({ a: { $gt: 3, $lt: 7 } })).toEqual([1, 2, 4]);
          expect(await ids({ a: { $elemMatch: { $gt: 3, $lt: 7 } } })).toEqual([2]);
          expect(await ids({ a: [5] })).toEqual([2]);
        },
      );

      it('holds bounds of fields in one array for each element apart', async () => {
        await index({ 'a.x': 1, 'a.y': 1 });
        await add(
          {
            _id: 1,
            a: [
              { x: 1, y: 2 },
              { x: 3, y: 4 },
            ],
          },
          { _id: 2, a: [{ x: 1, y: 4 }] },
        );
        expect(await ids({ 'a.x': 1, 'a.y': 4 })).toEqual([1, 2]);
        expect(await ids({ a: { $elemMatch: { x: 1, y: 4 } } })).toEqual([2]);
      });

      it('compares values of one type only', async () => {
        await index({ a: 1 });
        await add({ _id: 1, a: 5 }, { _id: 2, a: '5' }, { _id: 3, a: new Date(5) }, { _id: 4, a: true }, { _id: 5 });
        expect(await ids({ a: { $gt: 1 } })).toEqual([1]);
        expect(await ids({ a: { $gte: '' } })).toEqual([2]);
        expect(await ids({ a: { $lt: new Date(9) } })).toEqual([3]);
      });

      it.each([false, true])('compares 64-bit and decimal numbers exactly (index: %p)', async (indexed) => {
        if (indexed) await index({ a: 1 });
        const values = ['9007199254740992', '9007199254740993', '9223372036854775807'];
        await add(...values.map((value, index) => ({ _id: index, a: Long.fromString(value) })), {
          _id: 3,
          a: Decimal128.fromString('9007199254740993'),
        });
        expect(await ids({ a: Long.fromString('9007199254740993') })).toEqual([1, 3]);
        expect(await ids({ a: { $gt: Long.fromString('9007199254740992') } })).toEqual([1, 2, 3]);
        expect(await ids({ a: { $gt: Decimal128.fromString('9007199254740992.9') } })).toEqual([1, 2, 3]);
        expect(await ids({ a: new Double(9007199254740992) })).toEqual([0]);
      });

      it('that is not understood is refused', async () => {
        expect((await refusal(things.find({ a: { $unheard: 1 } }).toArray())).code).toBe(2);
        expect((await refusal(things.find({ $unheard: 1 }).toArray())).code).toBe(2);
        expect((await refusal(things.aggregate([{ $unheard: 1 }]).toArray())).code).toBe(40_324);
        expect((await refusal(client.db().command({ unheard: 1 }))).code).toBe(59);
      });
    });

    describe('an update', () => {
      const after = async (update: object, options: mongo.UpdateOptions = {}) => {
        await things.updateOne({ _id: 1 }, update, options);
        return exactly(await typed.findOne({ _id: 1 }));
      };

      it('keeps the types of numbers, and counts exactly', async () => {
        await add({
          _id: 1,
          int: 1,
          long: Long.fromString('9007199254740993'),
          decimal: Decimal128.fromString('0.10'),
          double: new Double(1),
          edge: 2_147_483_647,
        });
        const steps = { int: 1, long: 1, decimal: Decimal128.fromString('0.20'), double: 1, edge: 1 };
        expect(await after({ $inc: steps })).toBe(
          exactly({
            _id: 1,
            int: 2,
            long: Long.fromString('9007199254740994'),
            decimal: Decimal128.fromString('0.30'),
            double: new Double(2),
            edge: Long.fromString('2147483648'),
          }),
        );
        await add({ _id: 2, a: Long.MAX_VALUE });
        expect((await refusal(things.updateOne({ _id: 2 }, { $inc: { a: 1 } }))).code).toBe(2);
      });

      it('with paths that are in the way of each other is refused', async () => {
        await add({ _id: 1, a: { b: 1 } });
        expect((await refusal(things.updateOne({ _id: 1 }, { $set: { a: 1 }, $inc: { 'a.b': 1 } }))).code).toBe(40);
        expect((await refusal(things.updateOne({ _id: 1 }, { $set: { 'a.b': 1 }, $unset: { 'a.b': 1 } }))).code).toBe(
          40,
        );
      });

      it('with a path that cannot be is refused', async () => {
        await add({ _id: 1, a: 5, list: [1] });
        expect((await refusal(things.updateOne({ _id: 1 }, { $set: { 'a.b': 1 } }))).code).toBe(28);
        expect((await refusal(things.updateOne({ _id: 1 }, { $set: { 'list.x': 1 } }))).code).toBe(28);
        expect((await refusal(things.updateOne({ _id: 1 }, { $set: { '': 1 } }))).code).toBe(56);
        expect((await refusal(things.updateOne({ _id: 1 }, { $set: { _id: 2 } }))).code).toBe(66);
        expect((await refusal(things.updateOne({ _id: 1 }, { $inc: { list: 1 } }))).code).toBe(14);
        expect((await refusal(things.updateOne({ _id: 1 }, { $push: { a: 1 } as never }))).code).toBe(2);
        expect((await refusal(things.updateOne({ _id: 1 }, { $set: { 'list.$': 1 } }))).code).toBe(2);
      });

      it('adds new fields in the order of their names', async () => {
        await add({ _id: 1 });
        expect(await after({ $set: { c: 1, a: 1 }, $inc: { b: 1 } })).toBe(exactly({ _id: 1, a: 1, b: 1, c: 1 }));
      });

      it('reaches elements of arrays', async () => {
        await add({ _id: 1, a: [{ n: 1 }, { n: 5 }, { n: 9 }] });
        await things.updateOne({ _id: 1, 'a.n': 5 }, { $set: { 'a.$.hit': true } });
        await things.updateOne({ _id: 1 }, { $inc: { 'a.$[].n': 1 } });
        await things.updateOne(
          { _id: 1 },
          { $set: { 'a.$[large].large': true } },
          { arrayFilters: [{ 'large.n': { $gt: 9 } }] },
        );
        expect(exactly(await typed.findOne({ _id: 1 }))).toBe(
          exactly({ _id: 1, a: [{ n: 2 }, { n: 6, hit: true }, { n: 10, large: true }] }),
        );
        expect(await after({ $push: { a: { $each: [{ n: 0 }], $sort: { n: -1 }, $slice: 2 } } })).toBe(
          exactly({
            _id: 1,
            a: [
              { n: 10, large: true },
              { n: 6, hit: true },
            ],
          }),
        );
        expect(await after({ $pull: { a: { n: { $gt: 6 } } } })).toBe(exactly({ _id: 1, a: [{ n: 6, hit: true }] }));
        expect(await after({ $addToSet: { a: { $each: [{ n: 6, hit: true }, { n: 7 }] } } })).toBe(
          exactly({ _id: 1, a: [{ n: 6, hit: true }, { n: 7 }] }),
        );
      });

      it('by a pipeline sees the fields that are there', async () => {
        await add({ _id: 1, a: 2 });
        expect(await after([{ $set: { b: { $add: ['$a', 1] } } }, { $unset: 'a' }])).toBe(exactly({ _id: 1, b: 3 }));
      });

      it('that finds nothing makes a document of what the filter says', async () => {
        const { upsertedId } = await things.updateOne(
          { _id: 1, 'a.b': 'x', n: { $gt: 1 } },
          { $set: { c: 1 }, $setOnInsert: { d: 1 } },
          { upsert: true },
        );
        expect(upsertedId).toBe(1);
        expect(exactly(await typed.findOne())).toBe(exactly({ _id: 1, a: { b: 'x' }, c: 1, d: 1 }));
      });

      it('that changes nothing says so', async () => {
        await add({ _id: 1, a: 1 });
        expect(await things.updateOne({ _id: 1 }, { $set: { a: 1 } })).toMatchObject({
          matchedCount: 1,
          modifiedCount: 0,
        });
      });
    });

    describe('a unique index', () => {
      it('says what was there twice', async () => {
        await index({ organisation: 1, name: 1 }, { unique: true, name: 'names' });
        await add({ _id: 1, organisation: 'a', name: 'x' });
        const { code, message, errorResponse } = await refusal(
          things.insertOne({ _id: 2, organisation: 'a', name: 'x' }),
        );
        expect([code, message]).toEqual([
          11_000,
          expect.stringMatching(
            /E11000 duplicate key error collection: \S+\.things index: names dup key: \{ organisation: "a", name: "x" \}/,
          ),
        ]);
        const { keyPattern, keyValue } = errorResponse as { keyPattern?: object; keyValue?: object };
        expect(exactly(keyPattern)).toBe(exactly({ organisation: 1, name: 1 }));
        expect(exactly(keyValue)).toBe(exactly({ organisation: 'a', name: 'x' }));
        await add({ _id: 3, organisation: 'b', name: 'x' });
        expect((await refusal(things.updateOne({ _id: 3 }, { $set: { organisation: 'a' } }))).code).toBe(11_000);
        expect(await ids({ organisation: 'b' })).toEqual([3]);
      });

      it('takes numbers of different types for the same', async () => {
        await index({ a: 1 }, { unique: true });
        await add({ _id: 1, a: 1 });
        for (const same of [new Double(1), Long.fromNumber(1), Decimal128.fromString('1.0')])
          expect((await refusal(things.insertOne({ _id: 2, a: same }))).code).toBe(11_000);
      });

      it('that is sparse or partial leaves out the documents that it is not about', async () => {
        await index({ a: 1 }, { unique: true, sparse: true });
        await index({ b: 1 }, { unique: true, partialFilterExpression: { live: true } });
        await add({ _id: 1, b: 1 }, { _id: 2, b: 1 }, { _id: 3, b: 1, live: true });
        expect((await refusal(things.insertOne({ _id: 4, b: 1, live: true }))).code).toBe(11_000);
        expect(await ids({ a: null })).toEqual([1, 2, 3]);
        expect(await ids({ b: 1 })).toEqual([1, 2, 3]);
        await add({ _id: 5, a: null, b: 2 });
        expect((await refusal(things.insertOne({ _id: 6, a: null, b: 3 }))).code).toBe(11_000);
      });

      it('lets one of twenty insert', async () => {
        await index({ a: 1 }, { unique: true });
        const made = await Promise.allSettled(Array.from({ length: 20 }, (_, _id) => things.insertOne({ _id, a: 1 })));
        expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      });

      it('is not made over what is there twice', async () => {
        await add({ _id: 1, a: 1 }, { _id: 2, a: 1 });
        expect((await refusal(index({ a: 1 }, { unique: true }))).code).toBe(11_000);
        expect(await things.indexes()).toHaveLength(1);
      });
    });

    describe('writes of one command', () => {
      const writeErrors = async (ordered: boolean) => {
        await add({ _id: 1 });
        const error = await refusal(things.insertMany([{ _id: 0 }, { _id: 1 }, { _id: 2 }, { _id: 1 }], { ordered }));
        const { writeErrors } = error as mongo.MongoBulkWriteError;
        return [writeErrors].flat().map(({ index, code }) => [index, code]);
      };

      it('end with the first that is refused, in order', async () => {
        expect(await writeErrors(true)).toEqual([[1, 11_000]]);
        expect(await ids({})).toEqual([0, 1]);
      });

      it('go on where no order was asked for, and their errors have that of the writes', async () => {
        expect(await writeErrors(false)).toEqual([
          [1, 11_000],
          [3, 11_000],
        ]);
        expect(await ids({})).toEqual([0, 1, 2]);
      });

      it('of different kinds count what they did', async () => {
        await add({ _id: 1, a: 1 }, { _id: 2, a: 1 });
        const result = await things.bulkWrite([
          { updateMany: { filter: { a: 1 }, update: { $inc: { a: 1 } } } },
          { insertOne: { document: { _id: 3 } } },
          { updateOne: { filter: { _id: 4 }, update: { $set: { a: 0 } }, upsert: true } },
          { deleteMany: { filter: { a: 2 } } },
        ]);
        expect(result).toMatchObject({
          matchedCount: 2,
          modifiedCount: 2,
          insertedCount: 1,
          upsertedCount: 1,
          deletedCount: 2,
        });
        expect(await ids({})).toEqual([3, 4]);
      });
    });

    describe('a cursor', () => {
      it('reads on from where it was, and is gone once it is closed', async () => {
        await add(...Array.from({ length: 250 }, (_, _id) => ({ _id })));
        const cursor = things.find().sort({ _id: 1 }).batchSize(20);
        const seen: number[] = [];
        for await (const { _id } of cursor) seen.push(_id);
        expect(seen).toEqual(Array.from({ length: 250 }, (_, index) => index));
        const { cursor: open } = (await client.db().command({ find: 'things', batchSize: 2 })) as {
          cursor: { id: mongo.Long };
        };
        await client.db().command({ killCursors: 'things', cursors: [open.id] });
        expect((await refusal(client.db().command({ getMore: open.id, collection: 'things' }))).code).toBe(43);
      });

      it('meets a document once that moves in the index it is read by', async () => {
        await index({ a: 1 });
        await add(...Array.from({ length: 60 }, (_, index) => ({ _id: index, a: index })));
        expect((await things.updateMany({ a: { $gte: 0 } }, { $inc: { a: 30 } })).modifiedCount).toBe(60);
        expect(await ids({ a: { $lt: 30 } })).toEqual([]);
      });
    });

    /** Sends commands in a session that the driver knows nothing of. */
    async function bySession(
      work: (sent: (number: number, command: object) => Promise<mongo.Document>) => Promise<void>,
    ) {
      await using own = await mongo.MongoClient.connect(server.url);
      const alone = own.startSession();
      await work((number, command) =>
        own.db().command({ ...command, txnNumber: Long.fromNumber(number) }, { session: alone }),
      );
    }

    describe('a write that is sent again', () => {
      it('is done once and answered alike', async () => {
        await add({ _id: 1, n: 0 });
        const update = { $inc: { n: 1 } };
        const increment = { update: 'things', updates: [{ q: { _id: 1 }, u: update }] };
        const modify = { findAndModify: 'things', query: { _id: 1 }, update, new: true };
        await bySession(async (sent) => {
          for (const _time of ['first', 'second'])
            expect(await sent(1, increment)).toMatchObject({ n: 1, nModified: 1 });
          for (const _time of ['first', 'second'])
            expect(await sent(2, modify)).toMatchObject({ value: { _id: 1, n: 2 } });
          expect((await refusal(sent(1, increment))).code).toBe(225);
        });
        expect((await things.findOne({ _id: 1 }))?.['n']).toBe(2);
      });
    });

    describe('a transaction', () => {
      it('is seen by others when it is committed, all of it or nothing', async () => {
        await add({ _id: 1, n: 1 });
        await session(async (own) => {
          own.startTransaction();
          await things.updateOne({ _id: 1 }, { $set: { n: 2 } }, { session: own });
          await things.insertOne({ _id: 2 }, { session: own });
          expect(await things.countDocuments({}, { session: own })).toBe(2);
          expect(await ids({ n: 2 })).toEqual([]);
          await own.abortTransaction();
          expect(await ids({})).toEqual([1]);
          own.startTransaction();
          await things.insertOne({ _id: 3 }, { session: own });
          await own.commitTransaction();
          await own.commitTransaction();
        });
        expect(await ids({})).toEqual([1, 3]);
      });

      it('ends with what is refused in it', async () => {
        await add({ _id: 1 });
        await session(async (own) => {
          own.startTransaction();
          await things.insertOne({ _id: 2 }, { session: own });
          expect((await refusal(things.insertOne({ _id: 1 }, { session: own }))).code).toBe(11_000);
          const late = await refusal(things.insertOne({ _id: 3 }, { session: own }));
          expect([late.code, late.hasErrorLabel('TransientTransactionError')]).toEqual([251, true]);
          await own.abortTransaction();
        });
        expect(await ids({})).toEqual([1]);
      });

      it('is run again when another one was in its way', async () => {
        await add({ _id: 1, n: 0 });
        await Promise.all(
          Array.from({ length: 5 }, () =>
            session((own) =>
              own.withTransaction(async () => {
                const found = await things.findOne({ _id: 1 }, { session: own });
                await things.updateOne({ _id: 1 }, { $set: { n: Number(found?.['n']) + 1 } }, { session: own });
              }),
            ),
          ),
        );
        expect((await things.findOne({ _id: 1 }))?.['n']).toBe(5);
      });

      it('that was given up is unknown', async () => {
        await bySession(async (sent) => {
          const unknown = { insert: 'things', documents: [{ _id: 1 }], autocommit: false };
          expect((await refusal(sent(7, unknown))).code).toBe(251);
        });
      });
    });

    describe('an aggregation', () => {
      it('groups, joins, unwinds and counts', async () => {
        await add(
          { _id: 1, kind: 'a', n: 1, of: 2 },
          { _id: 2, kind: 'a', n: new Double(1.5), of: 3 },
          { _id: 3, kind: 'b', tags: ['x', 'y'] },
        );
        const run = async (...stages: object[]) => exactly(await typed.aggregate(stages).toArray());
        expect(
          await run({ $group: { _id: '$kind', n: { $sum: '$n' }, all: { $push: '$_id' } } }, { $sort: { _id: 1 } }),
        ).toBe(
          exactly([
            { _id: 'a', n: new Double(2.5), all: [1, 2] },
            { _id: 'b', n: 0, all: [3] },
          ]),
        );
        expect(await run({ $unwind: '$tags' }, { $project: { tags: 1 } })).toBe(
          exactly([
            { _id: 3, tags: 'x' },
            { _id: 3, tags: 'y' },
          ]),
        );
        expect(
          await run(
            { $match: { _id: 1 } },
            { $lookup: { from: 'things', localField: 'of', foreignField: '_id', as: 'found' } },
            { $project: { 'found.kind': 1 } },
          ),
        ).toBe(exactly([{ _id: 1, found: [{ kind: 'a' }] }]));
        expect(await run({ $match: { kind: 'a' } }, { $count: 'all' })).toBe(exactly([{ all: 2 }]));
      });

      it('counts and sums over windows, in fields new, old and inside of others', async () => {
        await add({ _id: 1, n: 5 }, { _id: 2, n: 7, of: { a: 1 } }, { _id: 3, at: 9 });
        const output = {
          at: { $documentNumber: {} },
          'of.sum': { $sum: '$n', window: { documents: ['unbounded', 'current'] } },
          all: { $sum: 1, window: { documents: ['unbounded', 'unbounded'] } },
        };
        const plain = { at: output.at, all: output.all };
        const run = async (fields: object) =>
          exactly(await typed.aggregate([{ $setWindowFields: { sortBy: { _id: -1 }, output: fields } }]).toArray());
        expect(await run(plain)).toBe(
          exactly([
            { _id: 3, at: 1, all: 3 },
            { _id: 2, n: 7, of: { a: 1 }, at: 2, all: 3 },
            { _id: 1, n: 5, at: 3, all: 3 },
          ]),
        );
        expect(await run(output)).toBe(
          exactly([
            { _id: 3, at: 1, of: { sum: 0 }, all: 3 },
            { _id: 2, n: 7, of: { a: 1, sum: 7 }, at: 2, all: 3 },
            { _id: 1, n: 5, at: 3, of: { sum: 12 }, all: 3 },
          ]),
        );
      });
    });

    describe('an index', () => {
      it('is used for look-ups and for sorts, and explain says so', async () => {
        await index({ organisation: 1, at: -1, _id: -1 }, { name: 'by_time' });
        await add(...Array.from({ length: 50 }, (_, index) => ({ _id: index, organisation: index % 2, at: index })));
        const explained = async (filter: object, sort: mongo.Sort) =>
          JSON.stringify(await things.find(filter).sort(sort).limit(5).explain('queryPlanner'));
        const good = await explained({ organisation: 1, at: { $lt: 40 } }, { at: -1, _id: -1 });
        expect(good).toMatch(/IXSCAN.*by_time/);
        expect(good).not.toMatch(/COLLSCAN|"SORT"/);
        expect(await explained({ organisation: 1 }, { at: 1, _id: 1 })).not.toMatch(/COLLSCAN|"SORT"/);
        expect(await explained({ other: 1 }, { at: 1 })).toMatch(/COLLSCAN/);
      });

      // The compatible server sorts again.
      if (engine === embedded || engine.isReal)
        it('of an array in which one value is looked up has the order of the fields behind it', async () => {
          await index({ labels: 1, at: -1, _id: -1 }, { name: 'by_label' });
          await add(...Array.from({ length: 9 }, (_, index) => ({ _id: index, labels: ['a', 'b'], at: index % 4 })));
          for (const filter of [{ labels: 'b' }, { labels: { $all: ['b'] } }]) {
            const found = things.find(filter).sort({ at: -1, _id: -1 });
            const plan = JSON.stringify(await found.clone().explain('queryPlanner'));
            expect(plan).toMatch(/IXSCAN.*by_label/);
            expect(plan).not.toMatch(/COLLSCAN|"SORT"/);
            expect((await found.toArray()).map(({ _id }) => _id)).toEqual([7, 3, 6, 2, 5, 1, 8, 4, 0]);
          }
          // Of an array the least element counts.
          const byArray = things.find({ labels: 'b' }).sort({ labels: 1 });
          expect(JSON.stringify(await byArray.explain('queryPlanner'))).toMatch(/"SORT"/);
        });

      it('of which another has the name or the options is refused', async () => {
        await index({ a: 1 }, { name: 'one' });
        expect(await index({ a: 1 }, { name: 'one' })).toBe('one');
        expect([85, 86]).toContain((await refusal(index({ b: 1 }, { name: 'one' }))).code);
        expect([85, 86]).toContain((await refusal(index({ a: 1 }, { name: 'one', unique: true }))).code);
        expect((await refusal(things.dropIndex('unheard'))).code).toBe(27);
      });

      // Compatible servers may take them.
      if (engine === embedded || engine.isReal)
        it('cannot be over two arrays of a document', async () => {
          await index({ a: 1, b: 1 });
          expect((await refusal(things.insertOne({ _id: 1, a: [1], b: [1] }))).code).toBe(171);
        });
    });
  });
}
