import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '@platform-backend/core';
import { createMetrics } from '@platform-backend/core/metrics';
import { waitFor } from '@platform-backend/testing';
import {
  discardDeadLetters,
  PermanentEventError,
  openEventBus,
  returnDeadLetters,
  startConsumer,
  startReaction,
  toCloudEvent,
  type Consumer,
  type ConsumerOptions,
  type DeliveredEvent,
} from '../src/index.ts';
import { durableConsumer, takeOne } from '../src/nats/durable-consumer.ts';
import { sessionOf } from '../src/nats/event-bus.ts';
import { EVENT_STREAM } from '../src/nats/streams.ts';
import {
  BORROWED,
  borrowed,
  deliverAgain,
  logOf,
  openLibrary,
  quiet,
  RETURNED,
  shownBy,
  type Library,
  deadLettersAt,
  unfinishedOf,
} from './suite/index.ts';

let library: Library;

beforeEach(async () => {
  library = await openLibrary();
});

afterEach(() => library.close());

const NAME = 'library-on-book-borrowed';
const fast = { logger: quiet, name: NAME, on: BORROWED, retryDelaysMs: [5, 10] };

const consume = (reaction: ConsumerOptions['react'], options: Partial<ConsumerOptions> = {}): Consumer =>
  library.stopLater(
    startConsumer({ ...fast, metrics: createMetrics(), bus: library.bus, react: reaction, ...options }),
  );

const publish = (subject: string, id?: string): Promise<void> =>
  deliverAgain(library.bus, toCloudEvent(borrowed(subject, id === undefined ? {} : { id })));

const unfinished = (): Promise<number> => unfinishedOf(library.bus, NAME);

const finished = (): Promise<unknown> =>
  waitFor(async () => (await unfinished()) === 0, { what: 'the consumer to finish' });

describe('events that wait for something that is away', () => {
  it('keep nobody from those that do not, however many they are, and are handled when it is back', async () => {
    let isUnavailableNow = true;
    const handled: string[] = [];
    consume(
      ({ subject }) => {
        if (isUnavailableNow && subject.startsWith('waits')) return Promise.reject(unavailable(new Error('away')));
        handled.push(subject);
        return Promise.resolve();
      },
      { maxInFlight: 2 },
    );
    const waiting = Array.from({ length: 7 }, (_, number) => `waits ${number}`);
    for (const subject of waiting) await publish(subject);
    await publish('free');
    await waitFor(() => handled.includes('free'), { what: 'the other event to be handled' });
    expect(handled).toEqual(['free']);
    isUnavailableNow = false;
    await finished();
    expect(handled.toSorted()).toEqual(['free', ...waiting]);
    expect(await deadLettersAt(library.bus)).toEqual([]);
  });
});

describe('more events than may wait beside', () => {
  it('are left in the stream with those behind them, and all are handled when what was away is back', async () => {
    let isUnavailableNow = true;
    const tried = new Set<string>();
    const handled: string[] = [];
    consume(
      ({ subject }) => {
        tried.add(subject);
        if (isUnavailableNow && subject !== 'free') return Promise.reject(unavailable(new Error('away')));
        handled.push(subject);
        return Promise.resolve();
      },
      { maxInFlight: 2 },
    );
    const waiting = Array.from({ length: 210 }, (_, number) => `waits ${number}`);
    for (const subject of [...waiting, 'free']) await publish(subject);
    // Two hundred beside, and one with each worker.
    await waitFor(() => tried.size === 202, { what: 'as many as may wait' });
    expect(handled).toEqual([]);
    isUnavailableNow = false;
    await finished();
    expect(handled.toSorted()).toEqual(['free', ...waiting].toSorted());
    expect(tried.size).toBe(211);
    expect(await deadLettersAt(library.bus)).toEqual([]);
  });
});

describe('a poisoned event', () => {
  it('is stored aside with its reason after five deliveries, and the others go on', async () => {
    const seen = new Map<string, number>();
    consume(({ subject }) => {
      seen.set(subject, (seen.get(subject) ?? 0) + 1);
      return subject === 'poison' ? Promise.reject(new Error('cannot be\nswallowed: ä')) : Promise.resolve();
    });
    await publish('poison', 'event-1');
    await publish('healthy');
    await finished();
    expect(Object.fromEntries(seen)).toEqual({ poison: 5, healthy: 1 });
    expect(await deadLettersAt(library.bus)).toEqual([
      expect.objectContaining({
        consumer: NAME,
        reason: 'cannot be swallowed:',
        deliveries: 5,
        subject: BORROWED,
        event: expect.objectContaining({ id: 'event-1', subject: 'poison' }),
      }),
    ]);
  });

  it('comes back later and later', async () => {
    const times: number[] = [];
    consume(
      () => {
        times.push(performance.now());
        return Promise.reject(new Error('no'));
      },
      { retryDelaysMs: [20, 200], maxDeliveries: 4 },
    );
    await publish('poison');
    await finished();
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps).toHaveLength(3);
    expect(gaps[0]).toBeGreaterThanOrEqual(15);
    expect(gaps[1]).toBeGreaterThanOrEqual(195);
    expect(gaps[2]).toBeGreaterThanOrEqual(195);
  });

  it('is stored aside at once when the reaction knows that nothing can help', async () => {
    let attempts = 0;
    consume(() => {
      attempts += 1;
      return Promise.reject(new PermanentEventError('from another century'));
    });
    await publish('a');
    await finished();
    expect(attempts).toBe(1);
    expect(await deadLettersAt(library.bus, { consumer: NAME })).toMatchObject([
      { reason: 'from another century', deliveries: 1 },
    ]);
  });

  it('too large to be stored aside is left in the stream, named in the log, and stops no other', async () => {
    const { manager } = await sessionOf(library.bus);
    // The largest that arrives; what is stored aside has headers as well.
    await deliverAgain(library.bus, 'x'.repeat(1024 * 1024));
    await publish('b', 'the next');
    const { logger, lines } = logOf();
    const seen: string[] = [];
    consume(({ id }) => Promise.resolve(void seen.push(id)), { maxInFlight: 1, logger });
    await finished();
    expect(seen).toEqual(['the next']);
    expect(await deadLettersAt(library.bus)).toEqual([]);
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        sequence: 1,
        msg: 'an event was given up; it is too large to be stored aside and stays in the stream until it is too old',
      }),
    );
    expect((await manager.streams.getMessage(EVENT_STREAM, { seq: 1 }))?.data).toHaveLength(1024 * 1024);
  });

  it('that is no event at all is stored aside as it is', async () => {
    consume(() => Promise.resolve());
    await deliverAgain(library.bus, 'not even JSON');
    await finished();
    const [letter] = await deadLettersAt(library.bus);
    expect(letter).toMatchObject({ body: 'not even JSON', reason: expect.stringContaining('not an event') });
    expect(letter).not.toHaveProperty('event');
  });

  it('that kills every process which touches it is stored aside unseen by the sixth', async () => {
    const session = await sessionOf(library.bus);
    await publish('killer');
    const wanted = { name: NAME, subject: BORROWED, from: 'beginning', ackWaitMs: 30_000 } as const;
    const handle = await durableConsumer(session, wanted);
    // Five processes took it and were never heard of again; the server learns of it at once here.
    for (let process = 1; process <= 5; process += 1) {
      const delivery = await takeOne(handle, AbortSignal.timeout(5_000));
      expect(delivery?.info.deliveryCount).toBe(process);
      delivery?.nak();
    }
    let attempts = 0;
    consume(() => {
      attempts += 1;
      return Promise.resolve();
    });
    await finished();
    expect(attempts).toBe(0);
    expect(await deadLettersAt(library.bus)).toMatchObject([
      { reason: 'no attempt came to an end in 5 deliveries', deliveries: 6 },
    ]);
  });

  it('can be sent back once its cause is mended: it happens once, and the letter is gone', async () => {
    let mended = false;
    const handled: string[] = [];
    consume(({ id, subject }) => {
      if (!mended && subject === 'poison') return Promise.reject(new Error('not yet'));
      return Promise.resolve(void handled.push(id));
    });
    await publish('healthy', 'event-0');
    await publish('poison', 'event-1');
    await waitFor(async () => (await deadLettersAt(library.bus)).length === 1);
    mended = true;
    expect(await returnDeadLetters(library.bus, { consumer: 'billing-on-something-else' })).toBe(0);
    expect(await returnDeadLetters(library.bus, { consumer: NAME })).toBe(1);
    await waitFor(() => handled.length === 2);
    await finished();
    expect(handled).toEqual(['event-0', 'event-1']);
    expect(await deadLettersAt(library.bus)).toEqual([]);
  });
});

describe('the metrics of consumers', () => {
  it('show for each of them what it has not finished, and what it gave up and nobody has looked at', async () => {
    const metrics = createMetrics();
    const shows = async (...lines: string[]): Promise<boolean> => {
      const shown = await shownBy(metrics);
      return lines.every((line) => shown.includes(line));
    };
    const other = 'library-on-book-shown';
    const release = Promise.withResolvers<undefined>();
    consume(() => Promise.reject(new PermanentEventError('not today')), { metrics });
    consume(() => release.promise, { metrics, name: other });
    await publish('a');
    await publish('b');
    const of = (name: string, consumer: string, value: number) => `${name}{consumer="${consumer}"} ${value}`;
    await waitFor(() =>
      shows(
        of('events_unhandled', NAME, 0),
        of('events_dead_letters', NAME, 2),
        of('events_dead_letters_total', NAME, 2),
        of('events_unhandled', other, 2),
        of('events_dead_letters', other, 0),
      ),
    );
    release.resolve(undefined);
    await discardDeadLetters(library.bus, { consumer: NAME });
    await waitFor(() =>
      shows(
        of('events_dead_letters', NAME, 0),
        of('events_dead_letters_total', NAME, 2),
        of('events_unhandled', other, 0),
      ),
    );
    await library.nats.stop();
    await waitFor(async () => !(await shownBy(metrics)).some((line) => line.startsWith('events_unhandled{')));
    expect(await shows(of('events_dead_letters_total', NAME, 2))).toBe(true);
  });
});

describe('a consumer of events', () => {
  it('waits while what it needs is away, and no delivery is used up', async () => {
    let attempts = 0;
    consume(() => {
      attempts += 1;
      return attempts < 4 ? Promise.reject(unavailable(new Error('no database'))) : Promise.resolve();
    });
    await publish('a');
    await finished();
    expect(attempts).toBe(4);
    expect(await deadLettersAt(library.bus)).toEqual([]);
  });

  it('handles no more than its limit at the same time', async () => {
    let inside = 0;
    let maxInside = 0;
    const release = Promise.withResolvers<undefined>();
    consume(
      async () => {
        inside += 1;
        maxInside = Math.max(maxInside, inside);
        await release.promise;
        inside -= 1;
      },
      { maxInFlight: 3 },
    );
    for (let index = 0; index < 12; index += 1) await publish(`book ${index}`);
    await waitFor(() => inside === 3);
    release.resolve(undefined);
    await finished();
    expect(maxInside).toBe(3);
  });

  it('asks for one event while none comes, and for as many as it may handle once they do', async () => {
    const handled: string[] = [];
    consume((event) => Promise.resolve(void handled.push(event.subject)), { maxInFlight: 4 });
    const { manager } = await sessionOf(library.bus);
    const asked = async (): Promise<number> => (await manager.consumers.info(EVENT_STREAM, NAME)).num_waiting;
    await waitFor(async () => (await asked()) === 1);
    await publish('book-1');
    await waitFor(async () => (await asked()) === 4);
    expect(handled).toHaveLength(1);
  });

  it('goes on asking while one that it has takes long', async () => {
    const handled: string[] = [];
    const release = Promise.withResolvers<undefined>();
    consume(
      async ({ subject }) => {
        if (subject === 'long') await release.promise;
        handled.push(subject);
      },
      { maxInFlight: 3, askMs: 1_000 },
    );
    const session = await sessionOf(library.bus);
    const asked = async (): Promise<number> => (await session.manager.consumers.info(EVENT_STREAM, NAME)).num_waiting;
    await publish('long');
    await waitFor(async () => (await asked()) === 2);
    // Requests that are as long and began later are over, and so are those two.
    const of = { name: 'library-on-book-returned', subject: RETURNED, from: 'now', ackWaitMs: 30_000 } as const;
    const other = await durableConsumer(session, of);
    for (let time = 0; time < 2; time += 1)
      expect(await takeOne(other, new AbortController().signal, 1_000)).toBeUndefined();
    await publish('short');
    await waitFor(() => handled.includes('short'));
    expect(handled).toEqual(['short']);
    release.resolve(undefined);
    await finished();
  });

  it('with a limit of one keeps the order of the stream', async () => {
    const seen: string[] = [];
    consume(
      ({ subject }) => {
        seen.push(subject);
        return Promise.resolve();
      },
      { maxInFlight: 1 },
    );
    const subjects = Array.from({ length: 30 }, (_, index) => `book ${index}`);
    for (const subject of subjects) await publish(subject);
    await finished();
    expect(seen).toEqual(subjects);
  });

  it('keeps an event of its own for as long as it works on it, however short the servers patience', async () => {
    let attempts = 0;
    const started = performance.now();
    consume(
      async () => {
        attempts += 1;
        await waitFor(() => performance.now() - started > 5_000);
      },
      { ackWaitMs: 2_000 },
    );
    await publish('a');
    await finished();
    expect(attempts).toBe(1);
  });

  it('finishes what it has in hand when it is stopped, and leaves the rest to others', async () => {
    const begun = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    const done: string[] = [];
    const first = consume(
      async ({ subject }) => {
        begun.resolve(undefined);
        await release.promise;
        done.push(subject);
      },
      { maxInFlight: 1 },
    );
    await publish('in hand');
    await begun.promise;
    await publish('left');
    const stopped = first.stop();
    release.resolve(undefined);
    await stopped;
    expect(done).toEqual(['in hand']);
    await waitFor(async () => (await unfinished()) === 1);
    consume(({ subject }) => {
      done.push(subject);
      return Promise.resolve();
    });
    await finished();
    expect(done).toEqual(['in hand', 'left']);
  });

  it('stops when nothing is in hand', async () => {
    const idle = consume(() => Promise.resolve());
    await waitFor(() => unfinished().then(() => true));
    await idle.stop();
  });

  it('shares the events with its replicas: each is handled by one of them', async () => {
    const seen: DeliveredEvent[] = [];
    const bus = library.stopLater(openEventBus({ servers: library.nats.url, name: 'replica', logger: quiet }));
    const remember = (event: DeliveredEvent): Promise<void> => {
      seen.push(event);
      return Promise.resolve();
    };
    consume(remember);
    library.stopLater(startConsumer({ ...fast, metrics: createMetrics(), bus, react: remember }));
    for (let index = 0; index < 30; index += 1) await publish(`book ${index}`);
    await finished();
    expect(new Set(seen.map(({ subject }) => subject)).size).toBe(30);
    expect(seen).toHaveLength(30);
  });

  it('gets what was published before it first ran, and only its own kinds', async () => {
    await publish('a', 'before');
    await deliverAgain(library.bus, toCloudEvent(borrowed('a', { type: RETURNED })), RETURNED);
    const seen: string[] = [];
    consume(({ id }) => {
      seen.push(id);
      return Promise.resolve();
    });
    await finished();
    expect(seen).toEqual(['before']);
  });

  it('goes on after NATS was killed and came back', async () => {
    const handled: string[] = [];
    consume(({ id }) => Promise.resolve(void handled.push(id)));
    await publish('a', 'event-1');
    await waitFor(() => handled.length === 1);
    await library.nats.kill();
    await waitFor(() => !library.bus.isConnected);
    await library.nats.start();
    await publish('b', 'event-2');
    await waitFor(() => handled.length === 2);
    expect(handled).toEqual(['event-1', 'event-2']);
  });

  it('goes on after its durable was deleted at the server', async () => {
    const handled: string[] = [];
    consume(({ id }) => Promise.resolve(void handled.push(id)));
    await publish('a', 'event-1');
    await waitFor(() => handled.length === 1);
    const { manager } = await sessionOf(library.bus);
    await manager.consumers.delete(EVENT_STREAM, NAME);
    await publish('b', 'event-2');
    await waitFor(() => handled.includes('event-2'));
    await finished();
    // It begins again with what the stream holds.
    expect(new Set(handled)).toEqual(new Set(['event-1', 'event-2']));
  });

  it('is refused a name that does not say service and reaction', () => {
    expect(() => consume(() => Promise.resolve(), { name: 'billing.run' })).toThrow('service-reaction');
  });
});

describe('a reaction that may be repeated', () => {
  it('is given many events together, without those that nobody can handle, and nothing is noted of them', async () => {
    const ids = Array.from({ length: 30 }, (_, at) => `event-${String(at)}`);
    for (const id of [...ids, 'torn']) await publish('a', id);
    const sizes: number[] = [];
    const handled = new Set<string>();
    const nothingNoted = { once: () => Promise.reject(new Error('noted')), prune: () => Promise.resolve(0) };
    library.stopLater(
      startReaction({
        ...{ ...fast, metrics: createMetrics(), bus: library.bus, inbox: nothingNoted },
        effect: {
          ofAll(events: readonly DeliveredEvent[]) {
            sizes.push(events.length);
            if (events.some(({ id }) => id === 'torn')) throw new PermanentEventError('the page is torn');
            for (const { id } of events) handled.add(id);
            return Promise.resolve();
          },
        },
      }),
    );
    await waitFor(async () => (await deadLettersAt(library.bus, { consumer: NAME })).length === 1);
    await finished();
    expect([...handled].toSorted()).toEqual(ids.toSorted());
    expect(Math.max(...sizes)).toBeGreaterThan(1);
  });
});
