import { assertEveryTableIsTenantScoped, assertTimestampsFitDates, migrate } from '@platform/postgres';
import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  appendToOutbox,
  listSetAside,
  parseCloudEvent,
  postgresOutbox,
  pruneInbox,
  retrySetAside,
  type Outbox,
} from '../src/index.ts';
import { RELAY_SETTINGS } from '../src/event-tables.ts';
import { borrowed, commit, openLibrary, quiet, type Library } from './library.ts';

let library: Library;
let outbox: Outbox;

beforeAll(async () => {
  library = await openLibrary();
  outbox = postgresOutbox(library.database);
});

afterAll(() => library.close());

beforeEach(() =>
  library.database.system(RELAY_SETTINGS, async (trx) => {
    await trx('outbox').delete();
    await trx('events_set_aside').delete();
  }),
);

/** Publishes to nowhere: all succeed but those that are named, for this time or for good. */
const take = async (limit: number, failing: string[] = [], hopeless: string[] = []): Promise<string[]> => {
  const taken: string[] = [];
  await outbox.publishNext(limit, (messages) => {
    taken.push(...messages.map(({ id }) => id));
    return Promise.resolve({
      published: new Set(taken.filter((id) => !failing.includes(id) && !hopeless.includes(id))),
      hopeless: new Map(hopeless.map((id) => [id, 'too large'])),
    });
  });
  return taken;
};

/** A text that the stored JSON does not shorten. */
const bytes = (count: number): string => 'x'.repeat(count);

describe('the outbox', () => {
  it('holds an event if and only if its transaction committed', async () => {
    const failing = library.database.tenant('org_1', async (trx) => {
      await appendToOutbox(trx, [borrowed('a')]);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await take(10)).toEqual([]);
    const ids = await commit(library.database, borrowed('a'));
    expect(await take(10)).toEqual(ids);
  });

  it('gives events back in the order they were appended, whole', async () => {
    const data = { text: 'Ünï¢ode "quoted" \\ \n', nested: [{ a: null }], big: 1e21 };
    const ids = await commit(library.database, borrowed('a', { data }), borrowed('b'), borrowed('a'));
    const bodies: string[] = [];
    await outbox.publishNext(10, (messages) => {
      bodies.push(...messages.map(({ body }) => body));
      return Promise.resolve({ published: new Set(ids), hopeless: new Map() });
    });
    expect(bodies.map((body) => parseCloudEvent(body).id)).toEqual(ids);
    expect(parseCloudEvent(bodies[0] ?? '').data).toEqual(data);
  });

  it('accepts an event once, even if a service appends the same id twice', async () => {
    await commit(library.database, borrowed('a', { id: 'same' }));
    await expect(commit(library.database, borrowed('a', { id: 'same' }))).rejects.toThrow('outbox_id_key');
  });

  it('appends nothing for no events', async () => {
    await library.database.tenant('org_1', (trx) => appendToOutbox(trx, []));
    expect(await take(10)).toEqual([]);
  });

  it('refuses an event of another organisation than the transactions', async () => {
    const smuggled = library.database.tenant('org_2', (trx) => appendToOutbox(trx, [borrowed('a')]));
    await expect(smuggled).rejects.toThrow('row-level security');
  });

  it('shows an organisation its own rows alone, and everything to the relay only', async () => {
    await commit(library.database, borrowed('a'), borrowed('b', { organisationId: 'org_2' }));
    const seen = await library.database.tenant('org_2', (trx) => trx('outbox').pluck('subject'));
    expect(seen).toEqual(['b']);
    expect(await library.database.knex('outbox').select()).toEqual([]);
    expect(await take(10)).toHaveLength(2);
  });

  it('keeps what was not acknowledged, and hands it out again', async () => {
    const [first = '', second = ''] = await commit(library.database, borrowed('a'), borrowed('b'));
    expect(await take(10, [first])).toEqual([first, second]);
    expect(await take(10)).toEqual([first]);
    expect(await take(10)).toEqual([]);
  });

  it('gives two relays different events, and never a later event of a subject before an earlier one', async () => {
    const [a1 = '', b1 = '', a2 = '', c1 = ''] = await commit(
      library.database,
      borrowed('a'),
      borrowed('b'),
      borrowed('a'),
      borrowed('c'),
    );
    const other: string[] = [];
    const mine: string[] = [];
    // Another relay is no part of the transaction in which this one publishes.
    const elsewhere = AsyncLocalStorage.snapshot();
    const outcome = await outbox.publishNext(2, async (messages) => {
      mine.push(...messages.map(({ id }) => id));
      other.push(...(await elsewhere(() => take(10))));
      return { published: new Set(mine), hopeless: new Map() };
    });
    expect(mine).toEqual([a1, b1]);
    expect(other).toEqual([c1]);
    expect(outcome).toEqual({ published: 2, setAside: 0, failed: 0, heldBack: 0 });
    expect(await take(10)).toEqual([a2]);
  });

  it('forgets published events after their time, and unpublished ones never', async () => {
    await commit(library.database, borrowed('a'));
    await take(10);
    await commit(library.database, borrowed('b'));
    expect(await outbox.prune(60_000)).toBe(0);
    expect(await outbox.prune(-60_000)).toBe(1);
    expect(await take(10)).toHaveLength(1);
  });

  it('says how many events wait, and for how long', async () => {
    expect(await outbox.backlog()).toEqual({ events: 0, oldestAgeMs: 0, setAside: 0 });
    await commit(library.database, borrowed('a'), borrowed('b'));
    await library.database.system(RELAY_SETTINGS, (trx) =>
      trx('outbox').update({ created_at: trx.raw("now() - interval '1 minute'") }),
    );
    const { events, oldestAgeMs } = await outbox.backlog();
    expect(events).toBe(2);
    expect(oldestAgeMs).toBeGreaterThanOrEqual(60_000);
  });
});

describe('an event that can never be published', () => {
  it('is set aside with its reason, and holds back no other of its subject', async () => {
    const [first = '', second = ''] = await commit(library.database, borrowed('a'), borrowed('a'));
    const outcome = await outbox.publishNext(1, (messages) =>
      Promise.resolve({ published: new Set(), hopeless: new Map(messages.map(({ id }) => [id, 'too large'])) }),
    );
    expect(outcome).toEqual({ published: 0, setAside: 1, failed: 0, heldBack: 0 });
    expect(await take(10)).toEqual([second]);
    expect(await outbox.backlog()).toMatchObject({ events: 0, setAside: 1 });
    expect(await listSetAside(library.database)).toEqual([
      {
        id: first,
        organisationId: 'org_1',
        type: 'platform.v1.library.book.borrowed',
        subject: 'a',
        reason: 'too large',
        bytes: expect.any(Number),
        createdAt: expect.any(Date),
        setAsideAt: expect.any(Date),
      },
    ]);
  });

  it('is shown to its organisation alone, like every other', async () => {
    const [id = ''] = await commit(library.database, borrowed('a'));
    await take(1, [], [id]);
    const seenBy = (organisation: string) =>
      library.database.tenant(organisation, (trx) => trx('events_set_aside').pluck('id'));
    expect(await seenBy('org_1')).toEqual([id]);
    expect(await seenBy('org_2')).toEqual([]);
    expect(await library.database.knex('events_set_aside').select()).toEqual([]);
  });

  it('comes back whole when it is to be tried again, by its id or all of them in their order', async () => {
    const ids = await commit(library.database, borrowed('a', { data: { é: 1 } }), borrowed('b'), borrowed('c'));
    await take(10, [], ids);
    const [first = '', second = '', third = ''] = ids;
    expect(await retrySetAside(library.database, [second, 'unknown'])).toBe(1);
    expect(await take(10)).toEqual([second]);
    expect(await retrySetAside(library.database)).toBe(2);
    expect((await listSetAside(library.database)).length).toBe(0);
    const bodies: string[] = [];
    await outbox.publishNext(10, (messages) => {
      bodies.push(...messages.map(({ body }) => body));
      return Promise.resolve({ published: new Set([first, third]), hopeless: new Map() });
    });
    expect(bodies.map((body) => parseCloudEvent(body))).toMatchObject([{ id: first, data: { é: 1 } }, { id: third }]);
  });
});

describe('a large event', () => {
  it('of more than half a mebibyte is not appended: nothing of its transaction is', async () => {
    const large = borrowed('a', { data: { text: bytes(512 * 1024) } });
    await expect(commit(library.database, borrowed('b'), large)).rejects.toThrow(
      /^an event of type platform\.v1\.library\.book\.borrowed has \d+ bytes, more than 524288$/,
    );
    expect(await take(10)).toEqual([]);
    await commit(library.database, borrowed('a', { data: { text: bytes(511 * 1024) } }));
    expect(await take(10)).toHaveLength(1);
  });

  it('leaves the rest of a batch for later ones, so that no relay holds more than a few mebibytes', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) {
      ids.push(...(await commit(library.database, borrowed('a', { data: { text: bytes(500 * 1024) } }))));
    }
    const taken: string[][] = [];
    while (taken.flat().length < ids.length) taken.push(await take(50));
    expect(taken.flat()).toEqual(ids);
    expect(taken.map(({ length }) => length)).toEqual([9, 9, 2]);
  });
});

describe('the event tables', () => {
  it('keep every rule of tenant tables, so a service need make no exception for them', async () => {
    await assertEveryTableIsTenantScoped(library.database.knex);
    await assertTimestampsFitDates(library.database.knex);
  });

  it('are made once, however often migrations run', async () => {
    const directory = new URL('./migrations/', import.meta.url);
    const { ownerUrl: url, appRole } = library.postgres;
    expect(await migrate({ url, directory, appRole, logger: quiet })).toEqual([]);
  });

  it('lose old inbox rows when told to', async () => {
    await library.database.tenant('org_1', (trx) =>
      trx('inbox').insert({ consumer: 'x-y', event_id: '1', organisation_id: 'org_1' }),
    );
    expect(await pruneInbox(library.database, 60_000)).toBe(0);
    expect(await pruneInbox(library.database, -60_000)).toBe(1);
  });
});
