import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { AsyncLocalStorage } from 'node:async_hooks';
import { parseCloudEvent, type EventRange } from '../../src/index.ts';
import { BORROWED, borrowed, commit, RETURNED } from './events.ts';
import type { EventStorage, StoreUnderTest } from './store-under-test.ts';

/** Without NATS: what an outbox hands out, keeps and forgets. */
export function outboxSuite<Transaction>(storage: EventStorage<Transaction>): void {
  let store: StoreUnderTest<Transaction>;

  beforeAll(async () => {
    store = await storage.open();
  });

  afterAll(() => store.close());

  /** Each test begins with an outbox that is empty, and was emptied by nothing but what it promises. */
  beforeEach(async () => {
    await store.outbox.retrySetAside();
    await waitFor(async () => (await take(1_000)).length === 0 && (await store.outbox.backlog()).events === 0);
    while ((await store.outbox.prune(-60_000)) > 0);
  });

  /** Publishes to nowhere: all succeed but those that are named, for this time or for good. */
  const take = async (limit: number, { failing = [] as string[], permanent = [] as string[] } = {}) => {
    const taken: string[] = [];
    await store.outbox.publishNext(limit, (messages) => {
      taken.push(...messages.map(({ id }) => id));
      return Promise.resolve({
        published: new Set(taken.filter((id) => !failing.includes(id) && !permanent.includes(id))),
        permanentFailures: new Map(taken.filter((id) => permanent.includes(id)).map((id) => [id, 'too large'])),
      });
    });
    return taken;
  };

  const historyOf = async (range: Partial<EventRange> = {}): Promise<string[]> => {
    const ids: string[] = [];
    const everything = { from: new Date(0), to: new Date('2100-01-01') };
    for await (const messages of store.outbox.history({ ...everything, ...range })) {
      ids.push(...messages.map(({ id }) => id));
    }
    return ids;
  };

  describe(`the outbox of ${storage.name}`, () => {
    it('holds an event if and only if its transaction committed', async () => {
      const failing = store.commit('org_1', [borrowed('a')], new Error('changed my mind'));
      await expect(failing).rejects.toThrow('changed my mind');
      expect(await take(10)).toEqual([]);
      expect(await historyOf()).toEqual([]);
      const ids = await commit(store, borrowed('a'));
      expect(await take(10)).toEqual(ids);
    });

    it('gives events back whole, those of one subject in the order in which they were appended', async () => {
      const data = { text: 'Ünï¢ode "quoted" \\ \n', nested: [{ a: null }], big: 1e21, 'dotted.$key': {} };
      const [first = ''] = await commit(store, borrowed('a', { data }));
      const later = await commit(store, ...Array.from({ length: 20 }, () => borrowed('a')));
      const bodies: string[] = [];
      await store.outbox.publishNext(50, (messages) => {
        bodies.push(...messages.map(({ body }) => body));
        return Promise.resolve({ published: new Set(messages.map(({ id }) => id)), permanentFailures: new Map() });
      });
      expect(bodies.map((body) => parseCloudEvent(body).id)).toEqual([first, ...later]);
      expect(parseCloudEvent(bodies[0] ?? '')).toMatchObject({
        type: BORROWED,
        organisationId: 'org_1',
        subject: 'a',
        time: new Date('2026-03-01T12:00:00.000Z'),
        data,
      });
    });

    it('hands out no more than it is asked for', async () => {
      const ids = await commit(store, ...Array.from({ length: 5 }, () => borrowed('a')));
      expect([await take(2), await take(2), await take(2)]).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    });

    it('appends nothing for no events', async () => {
      await store.commit('org_1', []);
      expect(await take(10)).toEqual([]);
    });

    it('keeps what was not acknowledged, and hands it out again', async () => {
      const [first = '', second = ''] = await commit(store, borrowed('a'), borrowed('b'));
      expect((await take(10, { failing: [first] })).toSorted()).toEqual([first, second].toSorted());
      expect(await take(10)).toEqual([first]);
      expect(await take(10)).toEqual([]);
    });

    it('keeps a whole batch whose publishing broke off', async () => {
      const ids = await commit(store, borrowed('a'), borrowed('a'));
      await expect(store.outbox.publishNext(10, () => Promise.reject(new Error('broke off')))).rejects.toThrow();
      await waitFor(async () => (await take(10)).join() === ids.join());
    });

    it('gives two relays different events, and never a later event of a subject before an earlier one', async () => {
      const [a1 = ''] = await commit(store, borrowed('a'));
      const [a2 = '', b = ''] = await commit(store, borrowed('a'), borrowed('b'));
      const mine: string[] = [];
      const others: string[] = [];
      // Another relay is no part of the transaction in which this one publishes.
      const elsewhere = AsyncLocalStorage.snapshot();
      await store.outbox.publishNext(1, async (messages) => {
        mine.push(...messages.map(({ id }) => id));
        others.push(...(await elsewhere(() => take(10))));
        return { published: new Set(mine), permanentFailures: new Map() };
      });
      const rest = await take(10);
      expect([...mine, ...others, ...rest].toSorted()).toEqual([a1, a2, b].toSorted());
      // Whichever of them took it: while one works on the first of a subject, the other does not get the second.
      if (mine.includes(a1)) expect(others).not.toContain(a2);
      expect([...mine, ...others, ...rest].filter((id) => id !== b)).toEqual([a1, a2]);
    });

    it('refuses an event of more than half a mebibyte, and nothing of its transaction happens', async () => {
      const data = { text: 'x'.repeat(512 * 1024) };
      await expect(store.commit('org_1', [borrowed('b'), borrowed('a', { data })])).rejects.toThrow(
        /^an event of type platform\.v1\.library\.book\.borrowed has \d+ bytes, more than 524288$/,
      );
      expect(await take(10)).toEqual([]);
      await commit(store, borrowed('a', { data: { text: 'x'.repeat(511 * 1024) } }));
      expect(await take(10)).toHaveLength(1);
    });

    it('forgets published events after their time, and unpublished ones never', async () => {
      await commit(store, borrowed('a'));
      await take(10);
      const [waiting = ''] = await commit(store, borrowed('b'));
      expect(await store.outbox.prune(60_000)).toBe(0);
      expect(await historyOf()).toHaveLength(2);
      // Older than in one minute: everything.
      expect(await store.outbox.prune(-60_000)).toBe(1);
      expect(await store.outbox.prune(-60_000)).toBe(0);
      expect(await historyOf()).toEqual([waiting]);
      expect(await take(10)).toEqual([waiting]);
    });

    it('hands out once more what was published before a moment, and not what was published since', async () => {
      const ids = await commit(store, borrowed('a'), borrowed('b'));
      await take(10);
      expect(await store.outbox.republish(new Date(Date.now() - 60_000))).toBe(0);
      expect(await store.outbox.republish(new Date(Date.now() + 60_000))).toBe(2);
      expect(await take(10)).toEqual(ids);
      expect(await take(10)).toEqual([]);
    });

    it('hands out once more what two replicas want again at once, each event once', async () => {
      const ids = await commit(store, borrowed('a'), borrowed('b'));
      await take(10);
      const before = new Date(Date.now() + 60_000);
      const [one, other] = await Promise.all([store.outbox.republish(before), store.outbox.republish(before)]);
      expect(one + other).toBe(2);
      expect(await take(10)).toEqual(ids);
    });

    it('says how many events wait, and for how long', async () => {
      expect(await store.outbox.backlog()).toEqual({ events: 0, oldestAgeMs: 0, setAside: 0 });
      await commit(store, borrowed('a'), borrowed('b'));
      await waitFor(async () => (await store.outbox.backlog()).oldestAgeMs >= 50);
      expect(await store.outbox.backlog()).toMatchObject({ events: 2, setAside: 0 });
      await take(10);
      expect(await store.outbox.backlog()).toEqual({ events: 0, oldestAgeMs: 0, setAside: 0 });
    });

    it('shows what it holds by time, type and organisation, those of a subject in order, published or not', async () => {
      const early = await commit(store, borrowed('a'));
      const between = await nextMoment();
      const late = await commit(
        store,
        borrowed('a'),
        borrowed('b', { type: RETURNED }),
        borrowed('c', { organisationId: 'org_2' }),
      );
      const after = await nextMoment();
      await take(2);
      expect((await historyOf()).toSorted()).toEqual([...early, ...late].toSorted());
      expect(await historyOf({ to: between })).toEqual(early);
      expect((await historyOf({ from: between, to: after })).toSorted()).toEqual(late.toSorted());
      expect(await historyOf({ from: after })).toEqual([]);
      expect(await historyOf({ types: [RETURNED] })).toEqual([late[1]]);
      expect(await historyOf({ types: [] })).toEqual([]);
      expect(await historyOf({ organisationId: 'org_2' })).toEqual([late[2]]);
      expect(await historyOf({ organisationId: 'org_1', types: [BORROWED] })).toEqual([...early, late[0]]);
    });

    it('shows even a long history in parts', async () => {
      const ids: string[] = [];
      for (let part = 0; part < 6; part += 1) {
        ids.push(...(await commit(store, ...Array.from({ length: 200 }, () => borrowed('a')))));
      }
      const sizes: number[] = [];
      for await (const messages of store.outbox.history({ from: new Date(0), to: new Date('2100-01-01') })) {
        sizes.push(messages.length);
      }
      expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
      expect(await historyOf()).toEqual(ids);
    });
  });

  describe(`an event of ${storage.name} that can never be published`, () => {
    it('is set aside with its reason, and holds back no other of its subject', async () => {
      const [first = '', second = ''] = await commit(store, borrowed('a'), borrowed('a'));
      const outcome = await store.outbox.publishNext(1, (messages) =>
        Promise.resolve({
          published: new Set(),
          permanentFailures: new Map(messages.map(({ id }) => [id, 'too large'])),
        }),
      );
      expect(outcome).toEqual({ published: 0, setAside: 1, failed: 0, heldBack: 0 });
      expect(await take(10)).toEqual([second]);
      expect(await store.outbox.backlog()).toMatchObject({ events: 0, setAside: 1 });
      expect(await store.outbox.listSetAside()).toEqual([
        {
          id: first,
          organisationId: 'org_1',
          type: BORROWED,
          subject: 'a',
          reason: 'too large',
          bytes: expect.any(Number),
          createdAt: expect.any(Date),
          setAsideAt: expect.any(Date),
        },
      ]);
    });

    it('comes back whole when it is to be tried again, by its id or all of them in their order', async () => {
      const ids = await commit(store, borrowed('a', { data: { é: 1 } }), borrowed('a'), borrowed('a'));
      await take(10, { permanent: ids });
      const [first = '', second = '', third = ''] = ids;
      expect((await store.outbox.listSetAside(2)).map(({ id }) => id)).toEqual([first, second]);
      expect(await store.outbox.retrySetAside([second, 'unknown'])).toBe(1);
      expect(await take(10)).toEqual([second]);
      expect(await store.outbox.retrySetAside()).toBe(2);
      expect(await store.outbox.listSetAside()).toEqual([]);
      const bodies: string[] = [];
      await store.outbox.publishNext(10, (messages) => {
        bodies.push(...messages.map(({ body }) => body));
        return Promise.resolve({ published: new Set([first, third]), permanentFailures: new Map() });
      });
      expect(bodies.map((body) => parseCloudEvent(body))).toMatchObject([{ id: first, data: { é: 1 } }, { id: third }]);
    });
  });
}

/** A moment after everything that was done until now, and before everything that is done from now on. */
async function nextMoment(): Promise<Date> {
  // What is stored may be rounded to a millisecond, up or down.
  const since = Date.now();
  await waitFor(() => Date.now() > since + 2);
  const moment = new Date();
  await waitFor(() => Date.now() > moment.getTime() + 2);
  return moment;
}
