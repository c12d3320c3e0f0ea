import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, notingChanges, type ClaimedCall, type IdempotencyStore } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { mongoIdempotencyStore, openDatabase as openMongo, Schema, type mongo } from '@platform-backend/mongo';
import { throwawayMongo } from '@platform-backend/mongo/testing';
import { migrate, openDatabase as openPostgres, postgresIdempotencyStore } from '@platform-backend/postgres';
import { preparedPostgres } from '@platform-backend/testing';
import { createHash } from 'node:crypto';
import pg from 'pg';

interface Store {
  readonly calls: IdempotencyStore;
  /** Puts up a shelf in one transaction, which then fails where it is told to. */
  readonly putUp: (organisationId: string, failure?: Error) => Promise<void>;
  readonly shelves: (organisationId: string) => Promise<number>;
  /** As if they had been noted more than a day ago. */
  readonly age: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const logger = createLogger({ service: 'test', level: 'silent' });

async function inPostgres(): Promise<Store> {
  const directory = new URL('./keyed-calls-migrations/', import.meta.url);
  const server = await preparedPostgres('keyed calls', ({ ownerUrl: url, appRole }) =>
    migrate({ url, directory, appRole, logger }),
  );
  const database = openPostgres({ url: server.appUrl, applicationName: 'test', logger });
  const admin = new pg.Client({ connectionString: server.adminUrl });
  await admin.connect();
  return {
    calls: postgresIdempotencyStore(database),
    putUp: (organisationId, failure) =>
      database.tenant(organisationId, async (trx) => {
        await trx('shelves').insert({ organisation_id: organisationId, name: 'new' });
        if (failure) throw failure;
      }),
    shelves: (organisationId) =>
      database.tenant(organisationId, async (trx) => (await trx('shelves').pluck<string[]>('name')).length),
    age: () => admin.query(`UPDATE keyed_calls SET expires_at = now() - interval '1 second'`),
    async close() {
      await admin.end();
      await database.close();
      await server.drop();
    },
  };
}

async function inMongo(): Promise<Store> {
  const server = await throwawayMongo();
  const collections = { shelves: new Schema({ name: String }).index({ organisationId: 1 }) };
  const database = await openMongo({ url: server.url, applicationName: 'test', logger, collections });
  await database.createIndexes();
  const shelves = database.model<{ name: string }>('shelves');
  const notes: mongo.Collection = database.unguarded.collection('idempotencyStore');
  return {
    calls: mongoIdempotencyStore(database.unguarded),
    putUp: (organisationId, failure) =>
      database.transaction(organisationId, async () => {
        await shelves.insertMany([{ name: 'new' }]);
        if (failure) throw failure;
      }),
    shelves: (organisationId) => database.tenant(organisationId, () => shelves.countDocuments({}).exec()),
    age: () => notes.updateMany({}, { $set: { expiresAt: new Date(Date.now() - 1_000) } }),
    async close() {
      await database.close();
      await server.drop();
    },
  };
}

const stores: readonly (readonly [string, () => Promise<Store>])[] = [
  ['PostgreSQL', inPostgres],
  ['MongoDB', inMongo],
];

describe.each(stores)('a keyed call in %s', (_name, open) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  /** An attempt of a call that nobody has made before, and further ones. */
  const newCall = (scope = newId()) => {
    const key = digest(newId());
    return (request = 'request'): ClaimedCall => ({ scope, key, request: digest(request), id: newId() });
  };
  const answer = Buffer.from('the answer');

  it('is one caller’s to carry out, however many ask at the same time', async () => {
    const attempt = newCall();
    const claims = await Promise.all(Array.from({ length: 8 }, () => store.calls.claim(attempt())));
    expect(claims.filter((claim) => claim.is === 'ours')).toHaveLength(1);
    expect(claims.filter((claim) => claim.is === 'in_flight')).toHaveLength(7);
  });

  it('is answered with what was kept, and only to the same request', async () => {
    const attempt = newCall();
    const first = attempt();
    await store.calls.claim(first);
    await store.calls.keep(first, answer);
    expect(await store.calls.claim(attempt())).toEqual({ is: 'answered', answer });
    expect(await store.calls.claim(attempt('another'))).toEqual({ is: 'key_reused' });
  });

  it('says at once that its key is of another request, also while it is in flight', async () => {
    const attempt = newCall();
    await store.calls.claim(attempt());
    expect(await store.calls.claim(attempt('another'))).toEqual({ is: 'key_reused' });
  });

  it('leaves its key as good as new when it is refused', async () => {
    const attempt = newCall();
    const first = attempt();
    await store.calls.claim(first);
    await store.calls.free(first);
    expect(await store.calls.claim(attempt('another'))).toEqual({ is: 'ours' });
  });

  it('shares its key with nobody else', async () => {
    const attempt = newCall();
    const first = attempt();
    await store.calls.claim(first);
    await store.calls.keep(first, answer);
    expect(await store.calls.claim({ ...attempt(), scope: newId() })).toEqual({ is: 'ours' });
  });

  it('is carried out again when it was left before its first change', async () => {
    const organisationId = newId();
    const attempt = newCall(organisationId);
    const first = attempt();
    await store.calls.claim(first);
    const failure = new Error('broken');
    const broken = notingChanges(first, () => store.putUp(organisationId, failure));
    await expect(broken).rejects.toThrow('broken');
    await store.calls.leave(first);
    expect(await store.calls.claim(attempt())).toEqual({ is: 'ours' });
    expect(await store.shelves(organisationId)).toBe(0);
  });

  it('is not carried out again when it was left after its first change', async () => {
    const organisationId = newId();
    const attempt = newCall(organisationId);
    const first = attempt();
    await store.calls.claim(first);
    await notingChanges(first, async () => {
      await store.putUp(organisationId);
      await store.putUp(organisationId);
    });
    await store.calls.leave(first);
    expect(await store.calls.claim(attempt())).toEqual({ is: 'cut_short', id: first.id });
    expect(await store.shelves(organisationId)).toBe(2);
  });

  it('notes its change in whatever organisation it is made', async () => {
    const attempt = newCall();
    const first = attempt();
    await store.calls.claim(first);
    await notingChanges(first, () => store.putUp(newId()));
    await store.calls.leave(first);
    expect(await store.calls.claim(attempt())).toEqual({ is: 'cut_short', id: first.id });
  });

  it('changes nothing any more when another attempt has taken its place', async () => {
    const organisationId = newId();
    const attempt = newCall(organisationId);
    const [slow, fast] = [attempt(), attempt()];
    await store.calls.claim(slow);
    await store.calls.leave(slow);
    expect(await store.calls.claim(fast)).toEqual({ is: 'ours' });
    await expect(notingChanges(slow, () => store.putUp(organisationId))).rejects.toMatchObject({ code: 'busy' });
    await store.calls.keep(slow, answer);
    await store.calls.free(slow);
    expect(await store.shelves(organisationId)).toBe(0);
    await notingChanges(fast, () => store.putUp(organisationId));
    await store.calls.keep(fast, Buffer.from('of the fast one'));
    expect(await store.calls.claim(attempt())).toEqual({ is: 'answered', answer: Buffer.from('of the fast one') });
  });

  it('lets what it has set going go on for itself', async () => {
    const organisationId = newId();
    const first = newCall(organisationId)();
    await store.calls.claim(first);
    const later = Promise.withResolvers<undefined>();
    let going: Promise<void> | undefined;
    await notingChanges(first, () => {
      going = later.promise.then(() => store.putUp(organisationId));
      return Promise.resolve();
    });
    await store.calls.free(first);
    later.resolve(undefined);
    await going;
    expect(await store.shelves(organisationId)).toBe(1);
  });

  it('is forgotten after a day', async () => {
    const [attempt, other] = [newCall(), newCall()];
    const first = attempt();
    await store.calls.claim(first);
    await store.calls.keep(first, answer);
    await store.age();
    expect(await store.calls.claim(attempt('another'))).toEqual({ is: 'ours' });
    await store.calls.claim(other());
    await store.age();
    expect(await store.calls.prune()).toBeGreaterThanOrEqual(2);
    expect(await store.calls.prune()).toBe(0);
  });
});
