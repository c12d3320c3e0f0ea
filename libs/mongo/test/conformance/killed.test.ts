import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { embeddedMongoProgram, freePort, startEmbeddedMongo, type Mongod } from '@platform-backend/embedded';
import { repetitions, runDirectory, waitFor } from '@platform-backend/testing';
import { mongo } from 'mongoose';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

type Thing = mongo.Document & { _id: string };

const WRITERS = 6;
const KILLS = repetitions({ usual: 2, long: 4 });
/** Acknowledged writes between two of them. */
const WRITES = 150;

describe('an embedded server that is killed under load', () => {
  const directory = mkdtempSync(join(runDirectory(), 'killed-'));
  let port: number;
  let server: Mongod;
  let client: mongo.MongoClient;

  const start = () => startEmbeddedMongo({ directory, port, logFile: `${directory}.log`, keepsUsAlive: false });

  beforeAll(async () => {
    port = await freePort();
    server = await start();
    client = await mongo.MongoClient.connect(databaseOf(server.url, 'killed'));
  });
  afterAll(async () => {
    await client.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('has every write that was acknowledged, each once, nothing of what was not committed, and indexes that agree', async () => {
    const things = client.db().collection<Thing>('things');
    const ofWriters = { writer: { $exists: true } };
    await things.createIndex({ writer: 1, n: 1 }, { unique: true, partialFilterExpression: ofWriters }, {});
    await things.insertMany([
      { _id: 'from', amount: 0 },
      { _id: 'to', amount: 0 },
    ]);
    let acknowledged = 0;
    let stopping = false;

    /** What a writer was told, and what it was never answered. */
    const tell = async (told: CallOutcomes, work: () => Promise<unknown>): Promise<void> => {
      try {
        await work();
        told.done += 1;
        acknowledged += 1;
      } catch (error) {
        if (!(error instanceof mongo.MongoError)) throw error;
        told.unanswered += 1;
      }
    };
    const write = async (writer: number) => {
      const told = { inserts: noTold(), counts: noTold(), moves: noTold() };
      const ids: string[] = [];
      const own = client.startSession();
      for (let n = 0; !stopping; n += 1) {
        const _id = `${writer} ${n}`;
        await tell(told.inserts, async () => {
          await things.insertOne({ _id, writer, n });
          ids.push(_id);
        });
        await tell(told.counts, () =>
          things.updateOne({ _id: `counter ${writer}` }, { $inc: { count: 1 } }, { upsert: true }),
        );
        if (n % 5 !== 0) continue;
        await tell(told.moves, () =>
          own.withTransaction(async () => {
            await things.updateOne({ _id: 'from' }, { $inc: { amount: -1 } }, { session: own });
            await things.updateOne({ _id: 'to' }, { $inc: { amount: 1 } }, { session: own });
          }),
        );
      }
      await own.endSession();
      return { writer, told, ids };
    };

    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = acknowledged;
      await waitFor(() => acknowledged > before + WRITES);
      await server.kill();
      server = await start();
    }
    stopping = true;
    const writers = await writing;

    const dangling = client.startSession();
    dangling.startTransaction();
    await things.insertOne({ _id: 'dangling' }, { session: dangling });
    await server.kill();
    server = await start();
    await client.db().command({ ping: 1 });
    expect(await things.findOne({ _id: 'dangling' })).toBeNull();

    for (const { writer, told, ids } of writers) {
      const found = await things.find({ writer }).hint({ writer: 1, n: 1 }).toArray();
      const scanned = await things.find({ writer }).hint({ $natural: 1 }).toArray();
      expect(found.map(({ _id }) => _id).sort()).toEqual(scanned.map(({ _id }) => _id).sort());
      const present = new Set(found.map(({ _id }) => _id));
      expect(ids.filter((id) => !present.has(id))).toEqual([]);
      const counter = await things.findOne({ _id: `counter ${writer}` });
      expectBetween(Number(counter?.['count']), told.counts);
      await things.deleteMany({ writer });
    }
    const moved = writers.reduce((sum, { told }) => add(sum, told.moves), noTold());
    const [from, to] = [await things.findOne({ _id: 'from' }), await things.findOne({ _id: 'to' })];
    expect(Number(from?.['amount'])).toBe(-Number(to?.['amount']));
    expectBetween(Number(to?.['amount']), moved);
    await dangling.endSession();
  }, 300_000);

  it('lets no second process have its directory', () => {
    const second = spawnSync(process.execPath, [embeddedMongoProgram, '--directory', directory], { encoding: 'utf8' });
    expect([second.status, second.stderr]).toEqual([1, expect.stringContaining('another process uses')]);
  });

  it('answers nobody who has no password, or another one', async () => {
    const { code, codeName } = { code: 13, codeName: 'Unauthorized' };
    await using anonymous = await mongo.MongoClient.connect(`mongodb://127.0.0.1:${port}/killed`);
    const database = anonymous.db();
    for (const command of [{ find: 'things' }, { insert: 'things', documents: [{}] }, { listCollections: 1 }])
      await expect(database.command(command)).rejects.toMatchObject({ code, codeName });
    await expect(database.command({ abortTransaction: 1 })).rejects.toMatchObject({ code });
    const wrong = new URL(server.url);
    wrong.password = 'x'.repeat(wrong.password.length);
    await expect(mongo.MongoClient.connect(wrong.href)).rejects.toMatchObject({ code: 18 });
    const unknown = new URL(server.url);
    unknown.username = 'root';
    await expect(mongo.MongoClient.connect(unknown.href)).rejects.toMatchObject({ code: 18 });
    expect(
      await client
        .db()
        .collection('things')
        .countDocuments({ _id: 'from' as never }),
    ).toBe(1);
  });

  it('keeps its password for the owner of its data alone, and over a restart', async () => {
    expect(statSync(join(directory, 'password')).mode & 0o777).toBe(0o600);
    const before = server.url;
    expect(await server.stop()).toMatchObject({ code: 0 });
    server = await start();
    expect(server.url).toBe(before);
  });
});

function databaseOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

interface CallOutcomes {
  done: number;
  unanswered: number;
}

const noTold = (): CallOutcomes => ({ done: 0, unanswered: 0 });
const add = (one: CallOutcomes, other: CallOutcomes): CallOutcomes => ({
  done: one.done + other.done,
  unanswered: one.unanswered + other.unanswered,
});

/** What was acknowledged has happened once; what was not answered may have. */
function expectBetween(count: number, { done, unanswered }: CallOutcomes): void {
  expect(count).toBeGreaterThanOrEqual(done);
  expect(count).toBeLessThanOrEqual(done + unanswered);
}
