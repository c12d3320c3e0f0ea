import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DiscardPolicy } from '@nats-io/jetstream';
import { createMetrics } from '@platform-backend/core/metrics';
import { waitFor } from '@platform-backend/testing';
import { openEventBus, replayOutbox, startReaction, type Outbox } from '../../src/index.ts';
import { sessionOf } from '../../src/nats/event-bus.ts';
import { EVENT_STREAM } from '../../src/nats/streams.ts';
import { BORROWED, borrowed, commit } from './events.ts';
import {
  limitEventSize,
  logOf,
  makeStreams,
  openLibrary,
  quiet,
  shownBy,
  stored,
  storedIds,
  type Library,
  told,
} from './library.ts';
import type { EventStorage, StoreUnderTest } from './store-under-test.ts';

/** The way of events from an outbox through a real relay into a real NATS, and back by a replay. */
export function relaySuite<Transaction>(storage: EventStorage<Transaction>): void {
  let library: Library;
  let store: StoreUnderTest<Transaction>;

  beforeEach(async () => {
    [library, store] = await Promise.all([openLibrary(), storage.open()]);
  });

  afterEach(async () => {
    await library.close();
    await store.close();
  });

  const relay = (options: Partial<Parameters<Library['relay']>[0]> = {}) =>
    library.relay({ outbox: store.outbox, ...options });
  const backlog = async (): Promise<number> => (await store.outbox.backlog()).events;
  const allPublished = () => waitFor(async () => (await backlog()) === 0, { what: 'the outbox to be published' });

  describe(`relaying from ${storage.name}`, () => {
    it('publishes each committed event on the subject of its type, with its id', async () => {
      relay();
      const ids = await commit(store, borrowed('a'), borrowed('a'), borrowed('b', { organisationId: 'org_2' }));
      await allPublished();
      const messages = await stored(library.bus);
      expect(messages.map(({ event }) => event.id).toSorted()).toEqual(ids.toSorted());
      expect(new Set(messages.map(({ subject }) => subject))).toEqual(new Set([BORROWED]));
    });

    it('writes a line for each event, with whose it is and the request that it comes of', async () => {
      const { logger, lines } = logOf();
      relay({ accessLog: logger });
      const [first, second] = await commit(store, borrowed('a', { requestId: 'r-1' }), borrowed('b'));
      await allPublished();
      const told = lines.map(({ eventId, type, organisationId, requestId }) => ({
        eventId,
        type,
        organisationId,
        requestId,
      }));
      expect(told).toEqual([
        { eventId: first, type: BORROWED, organisationId: 'org_1', requestId: 'r-1' },
        { eventId: second, type: BORROWED, organisationId: 'org_1', requestId: undefined },
      ]);
    });

    it('is woken by the commit: the next look is a minute away', async () => {
      relay({ pollMs: 60_000 });
      await waitFor(() => library.bus.isConnected);
      for (const subject of ['a', 'b', 'c']) {
        const [id] = await commit(store, borrowed(subject));
        await waitFor(async () => (await storedIds(library.bus)).at(-1) === id);
      }
    });

    it('by three relays at once puts each event into the stream once, each subject in its order', async () => {
      for (let count = 0; count < 3; count += 1) relay({ batchSize: 7, pollMs: 50 });
      const events = Array.from({ length: 200 }, (_, index) => borrowed(`book ${index % 10}`));
      const ids: string[] = [];
      for (let start = 0; start < events.length; start += 20) {
        ids.push(...(await commit(store, ...events.slice(start, start + 20))));
      }
      await allPublished();
      const messages = await stored(library.bus);
      expect(messages.map(({ event }) => event.id).toSorted()).toEqual(ids.toSorted());
      for (let book = 0; book < 10; book += 1) {
        const arrived = messages.filter(({ event }) => event.subject === `book ${book}`).map(({ event }) => event.id);
        expect(arrived).toEqual(ids.filter((_, index) => index % 10 === book));
      }
    });

    it('loses nothing when NATS is killed in the middle and comes back', async () => {
      relay({ batchSize: 5, pollMs: 50 });
      const ids = await commit(store, ...Array.from({ length: 40 }, (_, index) => borrowed(`book ${index}`)));
      await waitFor(async () => (await backlog()) < 40);
      await library.nats.kill();
      ids.push(...(await commit(store, borrowed('while NATS was away'))));
      expect(await backlog()).toBeGreaterThan(0);
      await library.nats.start();
      await allPublished();
      expect((await storedIds(library.bus)).toSorted()).toEqual(ids.toSorted());
    });

    it('does not hold up a service that starts while NATS is away', async () => {
      await library.nats.stop();
      const bus = library.stopLater(openEventBus({ servers: library.nats.url, name: 'early', logger: quiet }));
      relay({ bus });
      const ids = await commit(store, borrowed('a'));
      expect(bus.isConnected).toBe(false);
      await library.nats.start();
      await allPublished();
      expect(await storedIds(library.bus)).toEqual(ids);
    });

    it('stops although NATS is away, and the events wait for the next start', async () => {
      const stopping = relay();
      await library.nats.stop();
      await commit(store, borrowed('a'));
      await stopping.stop();
      expect(await backlog()).toBe(1);
    });

    it('sets aside what the stream can never take, and takes it up again once it can', async () => {
      await limitEventSize(library.bus, 1_000);
      const large = Array.from({ length: 30 }, (_, index) =>
        borrowed(`${index % 3}`, { data: { x: 'x'.repeat(2_000) } }),
      );
      const aside = await commit(store, ...large);
      const later = await commit(store, borrowed('1'), borrowed('other'));
      relay({ batchSize: 7 });
      await allPublished();
      expect((await storedIds(library.bus)).toSorted()).toEqual(later.toSorted());
      expect((await store.outbox.listSetAside()).map(({ id }) => id).toSorted()).toEqual(aside.toSorted());

      await limitEventSize(library.bus, -1);
      expect(await store.outbox.retrySetAside()).toBe(30);
      await allPublished();
      expect((await storedIds(library.bus)).slice(2).toSorted()).toEqual(aside.toSorted());
    });

    it('keeps what NATS cannot take now, whether there is no stream or a full one', async () => {
      const { manager } = await sessionOf(library.bus);
      await manager.streams.delete(EVENT_STREAM);
      const ids = await commit(store, borrowed('a'));
      const { logger, lines } = logOf();
      relay({ pollMs: 50, logger });
      const failures = () => lines.filter(({ msg }) => msg === 'some events were not accepted by NATS').length;
      await waitFor(() => failures() >= 2);

      const full = { name: EVENT_STREAM, subjects: ['platform.v1.>'], max_bytes: 1, discard: DiscardPolicy.New };
      await manager.streams.add(full);
      const before = failures();
      await waitFor(() => failures() >= before + 2);
      expect(await store.outbox.backlog()).toMatchObject({ events: 1, setAside: 0 });

      await manager.streams.update(EVENT_STREAM, { max_bytes: -1 });
      await allPublished();
      expect(await storedIds(library.bus)).toEqual(ids);
    });

    it('looks for events no more often than it may, however often it is woken', async () => {
      const looks: number[] = [];
      let wake = (): void => undefined;
      const watched: Outbox = {
        ...store.outbox,
        publishNext: (limit, publish) => {
          looks.push(performance.now());
          // Something new is committed before the look is over.
          wake();
          return store.outbox.publishNext(limit, publish);
        },
      };
      wake = relay({ outbox: watched, gatherMs: 100, pollMs: 60_000 }).wake;
      await waitFor(() => looks.length >= 4);
      const [first = 0, , , fourth = 0] = looks;
      expect(fourth - first).toBeGreaterThanOrEqual(295);
    });
  });

  describe(`replaying from ${storage.name}`, () => {
    const everything = { from: new Date(0), to: new Date('2100-01-01') };

    const react = (name: string) => {
      const handled: string[] = [];
      const reaction = { bus: library.bus, inbox: store.inbox, ...told(), name, on: BORROWED, retryDelaysMs: [5] };
      library.stopLater(
        startReaction<Transaction, Record<string, unknown>>({
          ...reaction,
          effect: async (transaction, event) => {
            await store.recordEffect(transaction, event);
            handled.push(event.id);
          },
        }),
      );
      return handled;
    };

    const settled = (name: string, sequence: number) =>
      waitFor(async () => {
        const { manager } = await sessionOf(library.bus);
        const { delivered, num_ack_pending } = await manager.consumers.info(EVENT_STREAM, name);
        return delivered.stream_seq >= sequence && num_ack_pending === 0;
      });

    it('publishes a history once more: who has handled an event does nothing, who has not does it', async () => {
      relay();
      const first = react('library-on-first-run');
      const ids = await commit(store, borrowed('a'), borrowed('a'), borrowed('b'));
      await waitFor(() => first.length === 3);
      const { manager } = await sessionOf(library.bus);
      await manager.streams.purge(EVENT_STREAM);

      const second = react('library-on-second-run');
      expect(await replayOutbox({ outbox: store.outbox, bus: library.bus, ...everything })).toBe(3);
      await waitFor(() => second.length === 3);
      await settled('library-on-first-run', 6);
      expect(first).toHaveLength(3);
      expect((await store.effects('org_1')).toSorted()).toEqual([...ids, ...ids].toSorted());
      const ofA = (await stored(library.bus)).filter(({ event }) => event.subject === 'a').map(({ event }) => event.id);
      expect(ofA).toEqual(ids.slice(0, 2));
    });

    it('fills a NATS that has lost everything by itself, says so, and reactions go on with what they had not handled', async () => {
      const { logger, lines } = logOf();
      relay({ logger });
      const handled = react('library-on-every-event');
      const ids = await commit(store, borrowed('a'), borrowed('b'));
      await waitFor(() => handled.length === 2);
      await allPublished();
      await library.nats.drop();
      ids.push(...(await commit(store, borrowed('while NATS was away'))));
      await library.nats.start();
      await makeStreams(library.nats);
      await waitFor(async () => (await storedIds(library.bus)).length === 3, {
        what: 'the events to be in the new stream',
      });
      await settled('library-on-every-event', 3);
      expect(new Set(await storedIds(library.bus))).toEqual(new Set(ids));
      expect((await store.effects('org_1')).toSorted()).toEqual(ids.toSorted());
      expect(lines.filter(({ event }) => event === 'events.stream_new')).toEqual([
        expect.objectContaining({ level: 'error', events: 2 }),
      ]);
    });

    it('notices a stream that was made anew though its connection lives and nothing is published, and counts it', async () => {
      const metrics = createMetrics();
      relay({ metrics, pollMs: 20, streamLookMs: 50 });
      const ids = await commit(store, borrowed('a'), borrowed('b'));
      await allPublished();
      const { manager } = await sessionOf(library.bus);
      await manager.streams.delete(EVENT_STREAM);
      await makeStreams(library.nats);
      await waitFor(async () => (await storedIds(library.bus)).length === 2, {
        what: 'the events to be in the new stream',
      });
      expect(new Set(await storedIds(library.bus))).toEqual(new Set(ids));
      const shown = await shownBy(metrics);
      expect(shown).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^events_new_streams_total(\{.*\})? 1$/),
          expect.stringMatching(/^events_republished_total(\{.*\})? 2$/),
        ]),
      );
    });
  });
}
