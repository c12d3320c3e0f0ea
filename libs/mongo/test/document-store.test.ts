import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { conflict, unchanged, withCaller, withPrecondition } from '@platform-backend/core';
import { borrowed } from '@platform-backend/events/testing';
import { AsyncResource } from 'node:async_hooks';
import { mongoOutbox, type DocumentStore } from '../src/index.ts';
import { by, openLibraryDatabase, openStore, shelfStore, type MongoStore, type Shelf } from './event-store.ts';

const constraintErrors = { shelves_name: () => conflict('name_taken', 'There is a shelf of this name') };
const shelf = (id: string, change: Partial<Shelf> = {}): Shelf => ({
  id,
  name: `shelf ${id}`,
  createdAt: new Date('2026-03-01T12:00:00.000Z'),
  books: [],
  ...change,
});
const happened = (subject: string, { id, organisationId = 'org_1' }: { id?: string; organisationId?: string } = {}) => {
  const event = borrowed(subject, { organisationId, ...(id !== undefined && { id }) });
  return { name: 'book.borrowed', subject, at: event.time, data: { event } };
};

/** As a request of its own. */
const outside = new AsyncResource('another request');

let store: MongoStore;
let shelves: DocumentStore<Shelf>;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());
beforeEach(async () => {
  for (const name of ['shelves', 'outbox']) await store.database.unguarded.collection(name).deleteMany({});
  shelves = shelfStore(store.database);
});

const add = (state: Shelf, organisation = 'org_1') =>
  shelves.update(by(organisation), state.id, () => ({
    state,
    events: [happened(state.id, { organisationId: organisation })],
    result: undefined,
  }));
const addBook = (id: string, book: string) =>
  shelves.update(by('org_1'), id, (found) => {
    if (!found) throw new Error('no such shelf');
    const books = [...found.books, book];
    return { state: { ...found, books }, events: [happened(id, { id: book })], result: books.length };
  });
/** Ids of all that was published, in order. */
const published = async (): Promise<string[]> => {
  const ids: string[] = [];
  const take = (messages: readonly { id: string }[]) => {
    ids.push(...messages.map(({ id }) => id));
    return Promise.resolve({
      published: new Set(messages.map(({ id }) => id)),
      permanentFailures: new Map<string, string>(),
    });
  };
  while ((await mongoOutbox(store.database).publishNext(50, take)).published > 0);
  return ids;
};
const raw = (id: string) => store.database.unguarded.collection<{ _id: string }>('shelves').findOne({ _id: id });

describe('a decision about a document', () => {
  it('makes, changes and removes a thing, and tells what has happened', async () => {
    await add(shelf('a', { note: 'new' }));
    expect(await shelves.find('org_1', 'a')).toEqual(shelf('a', { note: 'new' }));
    expect(await addBook('a', 'first')).toBe(1);
    const { note: _note, ...bare } = shelf('a', { books: ['first'] });
    await shelves.update(by('org_1'), 'a', () => ({ state: bare, events: [], result: undefined }));
    expect(await shelves.find('org_1', 'a')).toEqual(bare);
    await shelves.update(by('org_1'), 'a', () => ({
      state: undefined,
      events: [happened('a', { id: 'gone' })],
      result: 0,
    }));
    expect(await shelves.find('org_1', 'a')).toBeUndefined();
    expect((await published()).slice(1)).toEqual(['first', 'gone']);
  });

  it('that leaves everything as it is writes nothing', async () => {
    await add(shelf('a'));
    const before = await raw('a');
    await shelves.update(by('org_1'), 'a', (found) => unchanged(found));
    expect(await raw('a')).toEqual(before);
    expect(await shelves.update(by('org_1'), 'b', (found) => unchanged(found))).toBeUndefined();
  });

  it('of another organisation finds nothing, and cannot take the id', async () => {
    await add(shelf('a'));
    expect(await shelves.find('org_2', 'a')).toBeUndefined();
    const seen: unknown[] = [];
    const taking = shelves.update(by('org_2'), 'a', (found) => {
      seen.push(found);
      return { state: shelf('a', { name: 'mine' }), events: [], result: undefined };
    });
    await expect(taking).rejects.toMatchObject({ code: 'busy' });
    expect(new Set(seen)).toEqual(new Set([undefined]));
    expect(await shelves.find('org_1', 'a')).toEqual(shelf('a'));
  });

  it('at the same time as others is made anew on what they left: none is lost, and the events have their order', async () => {
    await add(shelf('a'));
    await published();
    const books = Array.from({ length: 20 }, (_, index) => `book ${index}`);
    const counts = await Promise.all(books.map((book) => addBook('a', book)));
    expect(counts.toSorted((one, other) => one - other)).toEqual(books.map((_, index) => index + 1));
    const found = await shelves.find('org_1', 'a');
    expect(found?.books.toSorted()).toEqual(books.toSorted());
    expect(await published()).toEqual(found?.books);
  });

  it('at the same time as others on a thing that is not there yet makes it once', async () => {
    const made = await Promise.all(
      Array.from({ length: 5 }, () =>
        shelves.update(by('org_1'), 'a', (found) =>
          found ? { ...unchanged(found), result: false } : { state: shelf('a'), events: [happened('a')], result: true },
        ),
      ),
    );
    expect(made.filter((was) => was)).toHaveLength(1);
    expect(await published()).toHaveLength(1);
  });

  it('that keeps being overtaken gives up and says that somebody else is at it', async () => {
    await add(shelf('a'));
    // Over one connection, so that whoever is faster is so every time.
    const database = await openLibraryDatabase(store.url, { poolMax: 1 });
    let attempts = 0;
    const overtaken = shelfStore(database).update(by('org_1'), 'a', () => {
      attempts += 1;
      void database.unguarded.collection('shelves').updateMany({}, { $inc: { version: 1 } });
      return { state: shelf('a', { note: 'too late' }), events: [], result: undefined };
    });
    await expect(overtaken).rejects.toMatchObject({ kind: 'unavailable', code: 'busy', retryAfterSeconds: 1 });
    await database.close();
    expect(attempts).toBe(24);
    expect(await shelves.find('org_1', 'a')).toEqual(shelf('a'));
  });

  it('that breaks a unique index is the refusal of the service', async () => {
    const database = await openLibraryDatabase(store.url, { constraintErrors });
    try {
      await add(shelf('a', { name: 'poetry' }));
      const second = shelfStore(database).update(by('org_1'), 'b', () => ({
        state: shelf('b', { name: 'poetry' }),
        events: [],
        result: undefined,
      }));
      await expect(second).rejects.toMatchObject({ kind: 'conflict', code: 'name_taken' });
      await add(shelf('c', { name: 'poetry' }), 'org_2');
    } finally {
      await database.close();
    }
  });

  it('is refused where the schema does not know what it wants to keep', async () => {
    const unknown = { ...shelf('a'), colour: 'red' };
    await expect(add(unknown)).rejects.toThrow(/colour.*schema/s);
    expect(await raw('a')).toBeNull();
  });
});

describe('events in a document', () => {
  it('survive the removal of the document, also before they were collected', async () => {
    await add(shelf('a'));
    for (const book of ['1', '2', '3']) await addBook('a', book);
    await shelves.update(by('org_1'), 'a', () => ({
      state: undefined,
      events: [happened('a', { id: 'gone' })],
      result: 0,
    }));
    expect((await published()).slice(1)).toEqual(['1', '2', '3', 'gone']);
  });

  it('survive that all documents are removed at once', async () => {
    for (let count = 0; count < 5; count += 1) await add(shelf(String(count)));
    await add(shelf('other'), 'org_2');
    expect(await shelves.removeAll('org_1', {})).toBe(5);
    expect(await shelves.find('org_2', 'other')).toBeDefined();
    expect(await published()).toHaveLength(6);
  });

  it('leave the document once they are collected, and never grow it without bound while NATS is away', async () => {
    await add(shelf('a'));
    const data = { text: 'x'.repeat(10_000) };
    const ids: string[] = [];
    for (let count = 0; count < 40; count += 1) {
      ids.push(`event ${count}`);
      await shelves.update(by('org_1'), 'a', (found) => {
        const event = borrowed('a', { id: `event ${count}`, data });
        return {
          state: { ...(found ?? shelf('a')), note: String(count) },
          events: [{ name: 'book.borrowed', subject: 'a', at: event.time, data: { event } }],
          result: undefined,
        };
      });
      expect(JSON.stringify(await raw('a')).length).toBeLessThan(120_000);
    }
    expect((await published()).slice(1)).toEqual(ids);
    expect(await raw('a')).not.toHaveProperty('pendingEvents');
  });

  it('come to be with the other changes of a transaction or not at all', async () => {
    await add(shelf('a'));
    await addBook('a', 'before');
    const failing = store.database.transaction('org_1', async () => {
      await addBook('a', 'first');
      await add(shelf('b'));
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect([await shelves.find('org_1', 'b'), (await shelves.find('org_1', 'a'))?.books]).toEqual([
      undefined,
      ['before'],
    ]);
    await store.database.transaction('org_1', async () => {
      await addBook('a', 'first');
      await addBook('a', 'second');
    });
    expect((await published()).slice(1)).toEqual(['before', 'first', 'second']);
  });

  it('come to be for nobody who has left before the first of them, and for whoever leaves afterwards', async () => {
    await add(shelf('a'));
    const caller = new AbortController();
    const leave = (): void => caller.abort(new Error('hung up'));
    const abandoned = withCaller(caller, () =>
      store.database.transaction('org_1', async () => {
        await addBook('a', 'abandoned');
        leave();
      }),
    );
    await expect(abandoned).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(withCaller(caller, () => addBook('a', 'late'))).rejects.toMatchObject({ kind: 'unavailable' });
    const later = new AbortController();
    await withCaller(later, async () => {
      await addBook('a', 'first');
      later.abort(new Error('hung up'));
      await addBook('a', 'second');
    });
    expect((await shelves.find('org_1', 'a'))?.books).toEqual(['first', 'second']);
  });

  it('of two transactions that collide are those of both, one after the other', async () => {
    await add(shelf('a'));
    await published();
    await Promise.all(['1', '2', '3'].map((book) => store.database.transaction('org_1', () => addBook('a', book))));
    expect((await shelves.find('org_1', 'a'))?.books).toEqual(await published());
  });

  it('of a transaction that meets another one again and again is made on what that one leaves', async () => {
    await add(shelf('a'));
    const [begun, met] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const first = store.database.transaction('org_1', async () => {
      await addBook('a', 'first');
      begun.resolve(undefined);
      await met.promise;
    });
    await begun.promise;
    let attempts = 0;
    const second = store.database.transaction('org_1', () => {
      attempts += 1;
      if (attempts > 5) met.resolve(undefined);
      return addBook('a', 'second');
    });
    await second.finally(() => met.resolve(undefined));
    await first;
    // The embedded server lets one wait for the other, and ends the one that keeps it waiting: then that one is the one that is repeated.
    expect((await shelves.find('org_1', 'a'))?.books.toSorted()).toEqual(['first', 'second']);
  });

  it('cannot be of another organisation than the change', async () => {
    const smuggled = shelves.update(by('org_2'), 'a', () => ({
      state: shelf('a'),
      events: [happened('a')],
      result: undefined,
    }));
    await expect(smuggled).rejects.toThrow('of another organisation than its change');
  });
});

describe('a page of documents', () => {
  const walk = async (limit: number, order: 'asc' | 'desc') => {
    const pages: (readonly Shelf[])[] = [];
    let cursor = '';
    do {
      const page = await shelves.page('org_1', { limit, cursor, includeTotal: false }, { filter: {}, order });
      pages.push(page.items);
      cursor = page.nextCursor;
    } while (cursor !== '');
    return pages;
  };

  it('shows every document once, in either direction, and the total when it is asked for', async () => {
    const start = new Date('2026-03-01T12:00:00.000Z').getTime();
    // Three share each millisecond, so that the id must decide between them.
    const all = Array.from({ length: 10 }, (_, index) =>
      shelf(`shelf-${index}`, { createdAt: new Date(start + Math.floor(index / 3)) }),
    );
    for (const one of all) await add(one);
    await add(shelf('foreign'), 'org_2');
    expect(await walk(4, 'asc')).toEqual([all.slice(0, 4), all.slice(4, 8), all.slice(8)]);
    expect((await walk(5, 'desc')).flat()).toEqual(all.toReversed());
    const { total, nextCursor } = await shelves.page(
      'org_1',
      { limit: 10, cursor: '', includeTotal: true },
      { filter: { name: { $ne: 'shelf shelf-1' } }, order: 'desc' },
    );
    expect([total, nextCursor]).toEqual([9, '']);
  });

  it('neither skips nor repeats a document when others come and go in between', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await add(shelf(id));
    const request = { limit: 2, cursor: '', includeTotal: false };
    const first = await shelves.page('org_1', request, { filter: {}, order: 'asc' });
    await shelves.removeAll('org_1', { _id: 'b' });
    await add(shelf('aa'));
    const next = { ...request, cursor: first.nextCursor };
    const second = await shelves.page('org_1', next, { filter: {}, order: 'asc' });
    expect(second.items.map(({ id }) => id)).toEqual(['c', 'd']);
  });

  it('ends before half a mebibyte, and has one document even if that is larger', async () => {
    const sizes = [200_000, 200_000, 200_000, 700_000, 10, 10];
    for (const [index, size] of sizes.entries()) await add(shelf(String(index), { note: 'x'.repeat(size) }));
    const lengths = (await walk(100, 'asc')).map((page) => page.map(({ note = '' }) => note.length));
    expect(lengths).toEqual([[200_000, 200_000], [200_000], [700_000], [10, 10]]);
  });

  it('is refused for a cursor that is none', async () => {
    const wrong = shelves.page('org_1', { limit: 1, cursor: 'x', includeTotal: false }, { filter: {}, order: 'asc' });
    await expect(wrong).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('a decision on a condition', () => {
  const judged = (note: string, meanwhile?: () => Promise<unknown>) => {
    let isFirst = true;
    return async () => {
      const found = await shelves.find('org_1', 'a');
      if (isFirst) await meanwhile?.();
      isFirst = false;
      if (found?.note !== note) throw new Error(`it is ${found?.note}`);
    };
  };
  const rewrite = (note: string) =>
    shelves.update(by('org_1'), 'a', (found) => {
      if (!found) throw new Error('no such shelf');
      return { state: { ...found, note }, events: [happened('a', { id: note })], result: undefined };
    });
  const removed = () =>
    shelves.update(by('org_1'), 'a', () => ({ state: undefined, events: [happened('a')], result: undefined }));
  const together = (note: string) => store.database.transaction('org_1', () => rewrite(note));
  const noteNow = async () => (await shelves.find('org_1', 'a'))?.note;

  it.each([
    ['a document', rewrite],
    ['a transaction', together],
    ['the removal of a document', removed],
  ] as const)('is carried out while it holds and refused when it does not: %s', async (_, change) => {
    await add(shelf('a', { note: 'first' }));
    await expect(withPrecondition(judged('other'), () => change('second'))).rejects.toThrow('it is first');
    expect(await noteNow()).toBe('first');
    await withPrecondition(judged('first'), () => change('second'));
    expect(await noteNow()).not.toBe('first');
  });

  it.each([
    ['a document', rewrite],
    ['the removal of a document', removed],
  ] as const)('is refused when somebody else is faster, after it was judged: %s', async (_, change) => {
    await add(shelf('a', { note: 'first' }));
    const faster = () => outside.runInAsyncScope(() => rewrite('of somebody else'));
    await expect(withPrecondition(judged('first', faster), () => change('second'))).rejects.toThrow(
      'it is of somebody else',
    );
    expect(await noteNow()).toBe('of somebody else');
  });

  it('is not asked again about what the same call has changed', async () => {
    await add(shelf('a', { note: 'first' }));
    await withPrecondition(judged('first'), async () => {
      await rewrite('second');
      await rewrite('third');
    });
    expect(await noteNow()).toBe('third');
  });

  it('lets one of many pass who have all read the same', async () => {
    await add(shelf('a', { note: 'first' }));
    const changes = Array.from({ length: 8 }, (__, at) => withPrecondition(judged('first'), () => rewrite(`of ${at}`)));
    const outcomes = await Promise.allSettled(changes);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});
