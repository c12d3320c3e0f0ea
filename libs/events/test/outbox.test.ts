import { assertEveryTableIsTenantScoped, assertTimestampsFitDates, migrate } from '@platform/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { appendToOutbox, parseCloudEvent, postgresOutbox, pruneInbox, type Outbox } from '../src/index.ts';
import { RELAY_SETTINGS } from '../src/event-tables.ts';
import { borrowed, commit, openLibrary, quiet, type Library } from './library.ts';

let library: Library;
let outbox: Outbox;

beforeAll(async () => {
  library = await openLibrary();
  outbox = postgresOutbox(library.database);
});

afterAll(() => library.close());

beforeEach(() => library.database.system(RELAY_SETTINGS, (trx) => trx('outbox').delete()));

/** Publishes to nowhere: all succeed but those that are named. */
const take = async (limit: number, failing: string[] = []): Promise<string[]> => {
  const taken: string[] = [];
  await outbox.publishNext(limit, (messages) => {
    taken.push(...messages.map(({ id }) => id));
    return Promise.resolve(new Set(taken.filter((id) => !failing.includes(id))));
  });
  return taken;
};

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
      return Promise.resolve(new Set(ids));
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
    const outcome = await outbox.publishNext(2, async (messages) => {
      mine.push(...messages.map(({ id }) => id));
      other.push(...(await take(10)));
      return new Set(mine);
    });
    expect(mine).toEqual([a1, b1]);
    expect(other).toEqual([c1]);
    expect(outcome).toEqual({ published: 2, failed: 0, heldBack: 0 });
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
    expect(await outbox.backlog()).toEqual({ events: 0, oldestAgeMs: 0 });
    await commit(library.database, borrowed('a'), borrowed('b'));
    await library.database.system(RELAY_SETTINGS, (trx) =>
      trx('outbox').update({ created_at: trx.raw("now() - interval '1 minute'") }),
    );
    const { events, oldestAgeMs } = await outbox.backlog();
    expect(events).toBe(2);
    expect(oldestAgeMs).toBeGreaterThanOrEqual(60_000);
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
