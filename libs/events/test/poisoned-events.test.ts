import { describe, expect, it } from '@jest/globals';
import { unavailable } from '@platform-backend/core';
import { waitFor } from '@platform-backend/testing';
import { PermanentEventError, returnDeadLetters } from '../src/index.ts';
import { durableConsumer, takeOne } from '../src/nats/durable-consumer.ts';
import { sessionOf } from '../src/nats/event-bus.ts';
import { EVENT_STREAM } from '../src/nats/streams.ts';
import { consume, finished, library, NAME, publish } from './consumer-under-test.ts';
import { BORROWED, deliverAgain, logOf, deadLettersAt } from './suite/index.ts';

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
