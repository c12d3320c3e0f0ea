import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { borrowed, commit, openLibrary, quiet, storedIds } from '@platform-backend/events/testing';
import { waitFor } from '@platform-backend/testing';
import { AsyncLocalStorage } from 'node:async_hooks';
import { RELAY_SETTINGS } from '../src/events/event-tables.ts';
import {
  appendToOutbox,
  assertEveryTableIsTenantScoped,
  assertTimestampsFitDates,
  migrate,
  openDatabase,
  postgresOutbox,
} from '../src/index.ts';
import { eventMigrations, openStore, type PostgresStore } from './event-store.ts';

let store: PostgresStore;

beforeAll(async () => {
  store = await openStore();
});

afterAll(() => store.close());

beforeEach(() =>
  store.database.system(RELAY_SETTINGS, async (trx) => {
    await trx('outbox').delete();
    await trx('events_set_aside').delete();
  }),
);

/** Publishes to nowhere, and all succeed. */
const take = async (limit: number, outbox = store.outbox): Promise<string[]> => {
  const taken: string[] = [];
  await outbox.publishNext(limit, (messages) => {
    taken.push(...messages.map(({ id }) => id));
    return Promise.resolve({ published: new Set(taken), permanentFailures: new Map() });
  });
  return taken;
};

describe('the outbox table', () => {
  it('gives events of all subjects back in the order they were appended', async () => {
    const ids = await commit(store, borrowed('a'), borrowed('b'), borrowed('a'));
    expect(await take(10)).toEqual(ids);
  });

  it('accepts an event once, even if a service appends the same id twice', async () => {
    await commit(store, borrowed('a', { id: 'same' }));
    await expect(commit(store, borrowed('a', { id: 'same' }))).rejects.toThrow('outbox_id_key');
  });

  it('refuses an event of another organisation than the transactions', async () => {
    const smuggled = store.database.tenant('org_2', (trx) => appendToOutbox(trx, [borrowed('a')]));
    await expect(smuggled).rejects.toThrow('row-level security');
  });

  it('shows an organisation its own rows alone, and everything to the relay only', async () => {
    await commit(store, borrowed('a'), borrowed('b', { organisationId: 'org_2' }));
    const seen = await store.database.tenant('org_2', (trx) => trx('outbox').pluck('subject'));
    expect(seen).toEqual(['b']);
    expect(await store.database.knex('outbox').select()).toEqual([]);
    expect(await take(10)).toHaveLength(2);
  });

  it('shows events set aside to their organisation alone, like every other', async () => {
    const [id = ''] = await commit(store, borrowed('a'));
    await store.outbox.publishNext(1, () =>
      Promise.resolve({ published: new Set(), permanentFailures: new Map([[id, 'too large']]) }),
    );
    const seenBy = (organisation: string) =>
      store.database.tenant(organisation, (trx) => trx('events_set_aside').pluck('id'));
    expect(await seenBy('org_1')).toEqual([id]);
    expect(await seenBy('org_2')).toEqual([]);
    expect(await store.database.knex('events_set_aside').select()).toEqual([]);
  });

  it('gives a second relay what the first does not hold, and holds back later events of the same subjects', async () => {
    const [a1 = '', b1 = '', a2 = '', c1 = ''] = await commit(
      store,
      borrowed('a'),
      borrowed('b'),
      borrowed('a'),
      borrowed('c'),
    );
    const other: string[] = [];
    const mine: string[] = [];
    // Another relay is no part of the transaction in which this one publishes.
    const elsewhere = AsyncLocalStorage.snapshot();
    const outcome = await store.outbox.publishNext(2, async (messages) => {
      mine.push(...messages.map(({ id }) => id));
      other.push(...(await elsewhere(() => take(10))));
      return { published: new Set(mine), permanentFailures: new Map() };
    });
    expect(mine).toEqual([a1, b1]);
    expect(other).toEqual([c1]);
    expect(outcome).toEqual({ published: 2, setAside: 0, failed: 0, heldBack: 0 });
    expect(await take(10)).toEqual([a2]);
  });

  it('leaves the rest of a batch of large events for later, so that no relay holds more than a few mebibytes', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) {
      ids.push(...(await commit(store, borrowed('a', { data: { text: 'x'.repeat(500 * 1024) } }))));
    }
    const taken: string[][] = [];
    while (taken.flat().length < ids.length) taken.push(await take(50));
    expect(taken.flat()).toEqual(ids);
    expect(taken.map(({ length }) => length)).toEqual([9, 9, 2]);
  });

  it('is not read again from its beginning for every batch, however much was published since the last vacuum', async () => {
    // What is counted is told by each connection for itself.
    const url = store.postgres.appUrl;
    const own = openDatabase({ url, applicationName: 'one connection', logger: quiet, poolMax: 1 });
    const outbox = postgresOutbox(own);
    const entriesRead = async (): Promise<number> => {
      await own.knex.raw('SELECT pg_stat_force_next_flush()');
      const { rows } = await own.knex.raw<{ rows: { read: number }[] }>(
        `SELECT idx_tup_read::int AS read FROM pg_stat_user_indexes WHERE indexrelname = 'outbox_unpublished'`,
      );
      return rows[0]?.read ?? NaN;
    };
    try {
      const published = 10_000;
      await commit(store, ...Array.from({ length: published }, (_, count) => borrowed(`subject ${count}`)));
      while ((await take(200, outbox)).length > 0);
      const before = await entriesRead();
      for (let batch = 0; batch < 10; batch += 1) {
        const ids = await commit(store, borrowed('a'));
        expect(await take(200, outbox)).toEqual(ids);
      }
      expect((await entriesRead()) - before).toBeLessThan(published);
    } finally {
      await own.close();
    }
  });

  it('is looked into again after the database cut the connections of a relay', async () => {
    const library = await openLibrary();
    try {
      library.relay({ outbox: store.outbox, pollMs: 60_000 });
      await waitFor(() => library.bus.isConnected);
      await store.database.knex
        .raw(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'library listener'`)
        .then(() => undefined);
      const [id = ''] = await commit(store, borrowed('a'));
      await waitFor(async () => (await storedIds(library.bus)).includes(id));
    } finally {
      await library.close();
    }
  });
});

describe('the event tables', () => {
  it('keep every rule of tenant tables, so a service need make no exception for them', async () => {
    await assertEveryTableIsTenantScoped(store.database.knex);
    await assertTimestampsFitDates(store.database.knex);
  });

  it('are made once, however often migrations run', async () => {
    const { ownerUrl: url, appRole } = store.postgres;
    expect(await migrate({ url, directory: eventMigrations, appRole, logger: quiet })).toEqual([]);
  });
});
