import { unavailable } from '@platform/core';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform/testing';
import {
  HopelessEvent,
  listDeadLetters,
  openEventBus,
  returnDeadLetters,
  startConsumer,
  startReaction,
  toCloudEvent,
  type Consumer,
  type ConsumerOptions,
  type DeliveredEvent,
  type Effect,
} from '../src/index.ts';
import { durableConsumer, takeOne } from '../src/nats/durable-consumer.ts';
import { EVENT_STREAM } from '../src/nats/streams.ts';
import {
  BORROWED,
  borrowed,
  commit,
  deliverAgain,
  effects,
  logOf,
  type Library,
  openLibrary,
  quiet,
  recordEffect,
  RETURNED,
  sessionOf,
} from './library.ts';

let library: Library;

beforeEach(async () => {
  library = await openLibrary();
});

afterEach(() => library.close());

const NAME = 'library-on-book-borrowed';
const fast = { logger: quiet, name: NAME, on: BORROWED, retryDelaysMs: [5, 10] };

const react = (effect: Effect = recordEffect): Consumer =>
  library.stopLater(startReaction({ ...fast, bus: library.bus, database: library.database, effect }));

const consume = (reaction: ConsumerOptions['react'], options: Partial<ConsumerOptions> = {}): Consumer =>
  library.stopLater(startConsumer({ ...fast, bus: library.bus, react: reaction, ...options }));

const publish = (subject: string, id?: string): Promise<void> =>
  deliverAgain(library.bus, toCloudEvent(borrowed(subject, id === undefined ? {} : { id })));

/** How many events the consumer has yet to finish. */
async function unfinished(): Promise<number> {
  const { manager } = await sessionOf(library.bus);
  const { num_pending, num_ack_pending } = await manager.consumers.info(EVENT_STREAM, NAME);
  return num_pending + num_ack_pending;
}

const finished = (): Promise<unknown> =>
  waitFor(async () => (await unfinished()) === 0, { what: 'the consumer to finish' });

describe('a reaction', () => {
  it('happens once for an event that arrives three times', async () => {
    for (let copy = 0; copy < 3; copy += 1) await publish('a', 'event-1');
    react();
    await finished();
    expect(await effects(library.database)).toEqual(['event-1']);
  });

  it('happens once when two replicas get the same event at the same moment', async () => {
    let inside = 0;
    react(async (trx, event) => {
      inside += 1;
      await recordEffect(trx, event);
      // Long enough for the copy to arrive and wait at the inbox.
      await waitFor(async () => (await waitingTransactions()) > 0);
    });
    await publish('a', 'event-1');
    await publish('a', 'event-1');
    await finished();
    expect(await effects(library.database)).toEqual(['event-1']);
    expect(inside).toBe(1);

    async function waitingTransactions(): Promise<number> {
      const { rows } = await library.database.knex.raw<{ rows: unknown[] }>(
        `SELECT FROM pg_stat_activity WHERE application_name = 'library' AND wait_event_type = 'Lock'`,
      );
      return rows.length;
    }
  });

  it('leaves no trace of an attempt that failed halfway, and succeeds in the next', async () => {
    let attempts = 0;
    react(async (trx, event) => {
      attempts += 1;
      await recordEffect(trx, event);
      if (attempts === 1) throw new Error('the lamp fell over');
    });
    await publish('a', 'event-1');
    await finished();
    expect(attempts).toBe(2);
    expect(await effects(library.database)).toEqual(['event-1']);
  });

  it('sees and writes only the organisation of its event', async () => {
    react(async (trx, event) => {
      expect(await trx('effects').select()).toEqual([]);
      await recordEffect(trx, event);
    });
    await deliverAgain(library.bus, toCloudEvent(borrowed('a', { id: 'one' })));
    await deliverAgain(library.bus, toCloudEvent(borrowed('a', { id: 'two', organisationId: 'org_2' })));
    await finished();
    expect(await effects(library.database)).toEqual(['one']);
    expect(await effects(library.database, 'org_2')).toEqual(['two']);
  });

  it('comes to the same end when events arrive out of order and twice, if it compares versions', async () => {
    react(async (trx, { organisationId, subject, data }) => {
      await trx('latest')
        .insert({ organisation_id: organisationId, subject, version: data['version'] })
        .onConflict(['organisation_id', 'subject'])
        .merge()
        .where('latest.version', '<', data['version'] as number);
    });
    const versions = [3, 1, 2, 3, 1].map((version) =>
      toCloudEvent(borrowed('a', { id: `version-${version}`, data: { version } })),
    );
    for (const version of versions) await deliverAgain(library.bus, version);
    await finished();
    const rows = await library.database.tenant('org_1', (trx) => trx('latest').select('subject', 'version'));
    expect(rows).toEqual([{ subject: 'a', version: 3 }]);
  });

  it('waits while its database is away, and no delivery is used up', async () => {
    let attempts = 0;
    consume(() => {
      attempts += 1;
      return attempts < 4 ? Promise.reject(unavailable(new Error('no database'))) : Promise.resolve();
    });
    await publish('a');
    await finished();
    expect(attempts).toBe(4);
    expect(await listDeadLetters(library.bus)).toEqual([]);
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
    expect(await listDeadLetters(library.bus)).toEqual([
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
      return Promise.reject(new HopelessEvent('from another century'));
    });
    await publish('a');
    await finished();
    expect(attempts).toBe(1);
    expect(await listDeadLetters(library.bus, NAME)).toMatchObject([{ reason: 'from another century', deliveries: 1 }]);
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
    expect(await listDeadLetters(library.bus)).toEqual([]);
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
    const [letter] = await listDeadLetters(library.bus);
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
    expect(await listDeadLetters(library.bus)).toMatchObject([
      { reason: 'no attempt came to an end in 5 deliveries', deliveries: 6 },
    ]);
  });

  it('can be sent back once its cause is mended: it happens once, and the letter is gone', async () => {
    let mended = false;
    react(async (trx, event) => {
      if (!mended && event.subject === 'poison') throw new Error('not yet');
      await recordEffect(trx, event);
    });
    await publish('healthy', 'event-0');
    await publish('poison', 'event-1');
    await waitFor(async () => (await listDeadLetters(library.bus)).length === 1);
    mended = true;
    expect(await returnDeadLetters({ bus: library.bus, consumer: 'billing-on-something-else' })).toBe(0);
    expect(await returnDeadLetters({ bus: library.bus, consumer: NAME })).toBe(1);
    await waitFor(async () => (await effects(library.database)).length === 2);
    await finished();
    expect(await effects(library.database)).toEqual(['event-0', 'event-1']);
    expect(await listDeadLetters(library.bus)).toEqual([]);
  });
});

describe('a consumer', () => {
  it('handles no more than its limit at the same time', async () => {
    let inside = 0;
    let most = 0;
    const release = Promise.withResolvers<undefined>();
    consume(
      async () => {
        inside += 1;
        most = Math.max(most, inside);
        await release.promise;
        inside -= 1;
      },
      { maxInFlight: 3 },
    );
    for (let index = 0; index < 12; index += 1) await publish(`book ${index}`);
    await waitFor(() => inside === 3);
    release.resolve(undefined);
    await finished();
    expect(most).toBe(3);
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
    library.stopLater(startConsumer({ ...fast, bus, react: remember }));
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
    react();
    await publish('a', 'event-1');
    await waitFor(async () => (await effects(library.database)).length === 1);
    await library.nats.kill();
    await waitFor(() => !library.bus.isConnected);
    await library.nats.start();
    await publish('b', 'event-2');
    await waitFor(async () => (await effects(library.database)).length === 2);
    expect(await effects(library.database)).toEqual(['event-1', 'event-2']);
  });

  it('goes on after its durable was deleted at the server', async () => {
    react();
    await publish('a', 'event-1');
    await waitFor(async () => (await effects(library.database)).length === 1);
    const { manager } = await sessionOf(library.bus);
    await manager.consumers.delete(EVENT_STREAM, NAME);
    await publish('b', 'event-2');
    await waitFor(async () => (await effects(library.database)).length === 2);
    await finished();
    expect((await effects(library.database)).toSorted()).toEqual(['event-1', 'event-2']);
  });

  it('is refused a name that does not say service and reaction', () => {
    expect(() => consume(() => Promise.resolve(), { name: 'billing.run' })).toThrow('service-reaction');
  });

  it('takes part in the whole way: commit, relay, stream, reaction', async () => {
    library.relay();
    react();
    const ids = await commit(library.database, borrowed('a'), borrowed('b'), borrowed('c'));
    await waitFor(async () => (await effects(library.database)).length === 3);
    expect((await effects(library.database)).toSorted()).toEqual(ids.toSorted());
  });
});
