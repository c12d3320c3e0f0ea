import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import mongoose, { type mongo } from 'mongoose';
import { withEvents, type Database } from '../src/index.ts';
import { embedded, realEngine } from './engines.ts';
import { by, openLibraryDatabase, shelfStore } from './event-store.ts';
import { throwawayMongoOn, type ThrowawayMongo } from './throwaway-mongo.ts';

const book = { title: { type: String, required: true, maxlength: 5 } };
const schema = () =>
  withEvents(
    new mongoose.Schema({
      _id: { type: String, required: true },
      createdAt: { type: Date, required: true },
      name: { type: String, required: true },
      books: [String],
      note: String,
      kind: { type: String, enum: ['open', 'closed'] as const },
      height: { type: Number, min: 1 },
      best: { type: { _id: false, ...book }, default: undefined },
      rows: { type: [{ _id: false, ...book }], default: undefined },
      labels: { type: [{ type: String, maxlength: 3 }], default: undefined },
    }),
  );

describe('what a server refuses', () => {
  let server: ThrowawayMongo;
  let database: Database;
  let shelves: mongo.Collection<mongo.Document & { _id: string }>;
  const open = async () => {
    const opened = await openLibraryDatabase(server.url, { collections: { shelves: schema() } });
    shelves = opened.unguarded.collection('shelves');
    return opened;
  };
  beforeEach(async () => {
    // Others say less of why.
    server = await throwawayMongoOn(realEngine() ?? embedded);
    database = await open();
  });
  afterEach(async () => {
    await database.close();
    await server.drop();
  });

  const whole = { organisationId: 'o', createdAt: new Date(), name: '', books: [] };
  const insert = (fields: object) => shelves.insertOne({ _id: String(Math.random()), ...whole, ...fields });

  it('is what its schema refuses, once the migration has said so, and it says so once', async () => {
    await insert({ name: 5 });
    expect(await database.applyValidators()).toEqual(['shelves']);
    expect(await database.applyValidators()).toEqual([]);
    await insert({
      note: null,
      kind: 'open',
      best: { title: '12345' },
      labels: ['abc'],
      height: 1,
      ofAnotherVersion: 1,
    });
    for (const wrong of [
      { name: 5 },
      { name: null },
      { kind: 'ajar' },
      { height: 0 },
      { best: { title: '123456' } },
      { best: {} },
      { rows: [{ title: 'ok' }, { title: 7 }] },
      { labels: ['abcd'] },
      { createdAt: '2026-01-01' },
    ])
      await expect(insert(wrong)).rejects.toMatchObject({ code: 121 });
    const { organisationId: _whose, ...unowned } = whole;
    await expect(shelves.insertOne({ _id: 'unowned', ...unowned })).rejects.toMatchObject({ code: 121 });
    await expect(shelves.updateMany({ name: '' }, { $unset: { createdAt: 1 } })).rejects.toMatchObject({ code: 121 });
  });

  it('is no document from before, which may go on being changed as it is', async () => {
    await shelves.insertOne({ _id: 'old', organisationId: 'o', name: 'from before' });
    await database.applyValidators();
    await shelves.updateOne({ _id: 'old' }, { $set: { note: 'changed' } });
    expect(await shelves.findOne({ _id: 'old' })).toMatchObject({ note: 'changed' });
  });

  it('are no characters more than are counted: an emoji is one of them', async () => {
    await database.applyValidators();
    const rows = (title: string) =>
      shelfStore(database).update(by('o'), title, (shelf) => ({
        state: { ...(shelf ?? { id: title, createdAt: new Date(), name: 'n', books: [] }), best: { title } },
        events: [],
        result: undefined,
      }));
    await rows('🙂'.repeat(5));
    await expect(rows('🙂'.repeat(6))).rejects.toThrow('best.title: maxlength');
  });

  it('is told to logs by field and rule, and never with what was in it', async () => {
    await database.applyValidators();
    const model = database.model<Record<string, unknown>>('shelves');
    const secret = 'what nobody may read';
    const refusalOf = (work: () => Promise<unknown>): Promise<Error> =>
      database.tenant('o', work).then(
        () => new Error('nothing was refused'),
        (error: unknown) => error as Error,
      );
    const { organisationId: _owner, ...fields } = whole;
    const wrong = { $set: { ...fields, best: { title: secret } } };
    const byServer = await refusalOf(() => model.updateOne({ _id: 'x' }, wrong, { upsert: true }).exec());
    const bySchema = await refusalOf(() => model.create([{ ...fields, _id: 'y', kind: secret }]));
    expect(byServer.message).toBe('a document is not as its schema has it: best.title: maxLength');
    expect(bySchema.message).toBe('a document is not as its schema has it: kind: enum');
    for (const error of [byServer, bySchema]) expect(JSON.stringify([error, error.stack])).not.toContain(secret);
  });
});
