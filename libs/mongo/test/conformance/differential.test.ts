import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repetitions } from '@platform-backend/testing';
import { leaveOut } from '@platform-backend/testing/where';
import { mongo } from 'mongoose';
import { compatibleEngine, embedded, realEngine } from '../engines.ts';
import { throwawayMongoOn, type ThrowawayMongo } from '../throwaway-mongo.ts';
import { generator, randomness, type Fields, type Generator } from './random-documents.ts';

const reference = realEngine() ?? compatibleEngine();
if (!reference) leaveOut('there is no other MongoDB: the embedded one is compared with itself alone');

/** Others than these by `SEED`. */
const seeds = process.env['SEED'] === undefined ? [1, 2, 3] : [Number(process.env['SEED'])];
const RUNS = repetitions({ usual: 20, long: 150 });
const DOCUMENTS = 120;

type Collection = mongo.Collection<Fields & { _id: number }>;

/** With the types of numbers and the order of fields; of an error its code. */
const outcome = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    return mongo.BSON.EJSON.stringify(await work(), { relaxed: false });
  } catch (error) {
    if (error instanceof mongo.MongoServerError) return `refused with ${Number(error.code)}`;
    throw error;
  }
};

const NOT_IMPLEMENTED = 'refused with 238';
const PARALLEL_ARRAYS = 'refused with 2';

describe.each(seeds)('random documents of the seed %i', (seed) => {
  const servers: ThrowawayMongo[] = [];
  const clients: mongo.MongoClient[] = [];
  const isCommon = reference?.isReal !== true;
  let random: Generator;
  let ours: Collection;
  let theirs: Collection | undefined;

  beforeAll(async () => {
    for (const engine of [embedded, ...(reference ? [reference] : [])]) {
      const server = await throwawayMongoOn(engine);
      servers.push(server);
      clients.push(await mongo.MongoClient.connect(server.url, { promoteValues: false }));
    }
    random = generator(randomness(seed), { common: isCommon });
    const documents = Array.from({ length: DOCUMENTS }, (_, id) => random.document(id));
    const [first, second] = clients.map((client) => client.db().collection<Fields & { _id: number }>('things'));
    if (!first) throw new Error('no server');
    [ours, theirs] = [first, second];
    for (const collection of [ours, ...(theirs ? [theirs] : [])]) await collection.insertMany(documents as never);
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(servers.map((server) => server.drop()));
  });

  /** What both make of it; what the embedded server does not do it has to refuse. */
  async function both(
    what: unknown,
    work: (collection: Collection) => Promise<unknown>,
    alike = (text: string) => text,
  ) {
    const mine = await outcome(() => work(ours));
    if (!theirs || mine === NOT_IMPLEMENTED) return;
    const other = theirs;
    const expected = await outcome(() => work(other));
    const shown = mongo.BSON.EJSON.stringify(what, { relaxed: false });
    expect({ seed, what: shown, found: alike(mine) }).toEqual({ seed, what: shown, found: alike(expected) });
  }

  const idsOf = async (found: mongo.FindCursor<Fields & { _id: unknown }>) =>
    (await found.project<{ _id: unknown }>({ _id: 1 }).toArray()).map(({ _id }) => Number(_id));

  it('are found by the same filters', async () => {
    for (let run = 0; run < RUNS; run += 1) {
      const filter = random.filter();
      await both(filter, async (collection) =>
        (await idsOf(collection.find(filter as never))).sort((one, other) => one - other),
      );
    }
  });

  it('have the same order', async () => {
    for (let run = 0; run < RUNS / 2; run += 1) {
      const [filter, sort] = [random.filter(), random.sort()];
      const sorted = (collection: Collection) => idsOf(collection.find(filter as never).sort({ ...sort, _id: 1 }));
      // The compatible server sorts by parallel arrays, which MongoDB refuses.
      if (isCommon && (await outcome(() => sorted(ours))) === PARALLEL_ARRAYS) continue;
      await both({ filter, sort }, sorted);
    }
  });

  it('are shown alike by projections', async () => {
    for (let run = 0; run < RUNS / 4; run += 1) {
      const projection = random.projection();
      // The compatible server orders fields by the projection, MongoDB by the document.
      const alike = (text: string): string => (isCommon ? Array.from(text).sort().join('') : text);
      await both(projection, (collection) => collection.find({}, { projection }).sort({ _id: 1 }).toArray(), alike);
    }
  });

  it('give the same results to expressions', async () => {
    for (let run = 0; run < RUNS / 2; run += 1) {
      const value = random.expression();
      const evaluate = (collection: Collection) =>
        collection.aggregate([{ $sort: { _id: 1 } }, { $limit: 40 }, { $project: { value } }]).toArray();
      // The compatible server refuses `$in` with some arrays.
      if (isCommon && theirs && (await outcome(() => evaluate(theirs as Collection))) === 'refused with 2') continue;
      await both(value, evaluate);
    }
  });

  it('are found by indexes as without them', async () => {
    for (let count = 0; count < 5; count += 1) await outcome(() => ours.createIndex(random.index(), {}, {}));
    for (let run = 0; run < RUNS * 2; run += 1) {
      const [filter, sort] = [random.filter(), run % 2 === 0 ? random.sort() : {}];
      const find = (hint?: object) =>
        outcome(() => idsOf(ours.find(filter as never, hint ? { hint } : {}).sort({ ...sort, _id: 1 })));
      const what = mongo.BSON.EJSON.stringify({ filter, sort });
      expect({ seed, what, found: await find() }).toEqual({ seed, what, found: await find({ $natural: 1 }) });
    }
    await ours.dropIndexes();
  });

  it('are changed alike by updates', async () => {
    for (let run = 0; run < RUNS; run += 1) {
      const [id, update] = [run % DOCUMENTS, random.update()];
      // Of several paths that cannot be, each may be the one that is named.
      const alike = (text: string): string =>
        isCommon ? text.replace(/^refused with (?:14|28|2|40)$/, 'refused') : text;
      const change = async (collection: Collection) => {
        const { matchedCount } = await collection.updateOne({ _id: id }, update);
        return { matchedCount, document: await collection.findOne({ _id: id }) };
      };
      await both({ id, update }, change, alike);
    }
  });
});
