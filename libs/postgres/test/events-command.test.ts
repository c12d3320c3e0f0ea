import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventsCommand, PermanentEventError, startConsumer, startReaction } from '@platform-backend/events';
import {
  BORROWED,
  borrowed,
  commit,
  deadLettersAt,
  makeStreams,
  openLibrary,
  quiet,
  RETURNED,
  storedIds,
  told,
  type Library,
} from '@platform-backend/events/testing';
import { waitFor } from '@platform-backend/testing';
import { openStore, type PostgresStore } from './event-store.ts';

let library: Library;
let store: PostgresStore;

beforeEach(async () => {
  [library, store] = await Promise.all([openLibrary(), openStore()]);
});

afterEach(async () => {
  await library.close();
  await store.close();
});

const CONSUMER = 'library-on-book-borrowed';
const OTHER = 'library-on-book-returned';

/** What the command writes. */
async function results(...args: string[]): Promise<object[]> {
  const written: object[] = [];
  await eventsCommand({
    args,
    outbox: store.outbox,
    consumers: [CONSUMER, OTHER],
    natsUrl: library.nats.url,
    logger: quiet,
    write: (result) => written.push(result),
  });
  return written;
}

const published = (): Promise<string[]> => storedIds(library.bus);

/** Gives up all events until told otherwise. */
function startFailing(name = CONSUMER, on = BORROWED) {
  const handled: string[] = [];
  let isFailing = true;
  library.stopLater(
    startConsumer({
      bus: library.bus,
      ...told(),
      name,
      on,
      react: ({ id }) =>
        isFailing ? Promise.reject(new PermanentEventError('not today')) : Promise.resolve(void handled.push(id)),
    }),
  );
  return { handled, mend: () => (isFailing = false) };
}

const deadLetters = (count: number) =>
  waitFor(async () => (await deadLettersAt(library.bus)).length === count, { what: `${count} dead letters` });

describe('an operator of events', () => {
  it('sees how far the outbox and each consumer lag behind', async () => {
    const idle = { events: 0, deadLetters: 0 };
    await commit(store, borrowed('a'), borrowed('b'));
    expect(await results('lag')).toEqual([
      { outbox: { events: 2, oldestAgeMs: expect.any(Number), setAside: 0 } },
      { consumer: CONSUMER, ...idle },
      { consumer: OTHER, ...idle },
    ]);
    startFailing();
    const release = Promise.withResolvers<undefined>();
    const busy = { bus: library.bus, ...told(), name: OTHER, on: BORROWED };
    library.stopLater(startConsumer({ ...busy, react: () => release.promise, maxInFlight: 1 }));
    library.relay({ outbox: store.outbox });
    await deadLetters(2);
    expect(await results('lag')).toEqual([
      { outbox: { events: 0, oldestAgeMs: 0, setAside: 0 } },
      { consumer: CONSUMER, events: 0, deadLetters: 2 },
      { consumer: OTHER, events: 2, deadLetters: 0 },
    ]);
    release.resolve(undefined);
    await waitFor(
      async () => JSON.stringify((await results('lag'))[2]) === JSON.stringify({ consumer: OTHER, ...idle }),
    );
  });

  it('sees how far the outbox lags behind while NATS is away, and that it is', async () => {
    await commit(store, borrowed('a'));
    await library.nats.stop();
    const written: object[] = [];
    const call = { args: ['lag'], outbox: store.outbox, consumers: [CONSUMER], logger: quiet };
    const asked = eventsCommand({ ...call, natsUrl: library.nats.url, write: (result) => written.push(result) });
    await expect(asked).rejects.toThrow('NATS cannot be reached');
    expect(written).toMatchObject([{ outbox: { events: 1 } }]);
  });

  it('sees the events that were set aside, and has one or all tried once more', async () => {
    const ids = await commit(store, borrowed('a'), borrowed('b'), borrowed('c'));
    const [first = ''] = ids;
    await store.outbox.publishNext(10, () =>
      Promise.resolve({ published: new Set(), permanentFailures: new Map(ids.map((id) => [id, 'too large'])) }),
    );
    expect(await results('set-aside', 'list')).toMatchObject(ids.map((id) => ({ id, reason: 'too large' })));
    expect(await results('set-aside', 'retry', first, 'unknown')).toEqual([{ retried: 1 }]);
    expect(await results('set-aside', 'retry', 'all')).toEqual([{ retried: 2 }]);
    expect(await store.outbox.listSetAside()).toEqual([]);
    library.relay({ outbox: store.outbox });
    await waitFor(async () => (await published()).length === 3);
    expect(await published()).toEqual(ids);
  });

  it('sees dead letters, of one consumer as well, and one of them whole', async () => {
    library.relay({ outbox: store.outbox });
    startFailing();
    const [id = ''] = await commit(store, borrowed('a'));
    await deadLetters(1);
    const letter = { sequence: 1, consumer: CONSUMER, reason: 'not today', deliveries: 1, time: expect.any(Date) };
    const listed = [{ ...letter, subject: BORROWED, eventId: id, organisationId: 'org_1' }];
    expect(await results('dead-letters', 'list')).toEqual(listed);
    expect(await results('dead-letters', 'list', '--consumer', CONSUMER)).toEqual(listed);
    expect(await results('dead-letters', 'list', '--consumer', OTHER)).toEqual([]);
    const event = expect.objectContaining({ id, subject: 'a', data: {} });
    expect(await results('dead-letters', 'show', '1')).toEqual([
      { ...letter, subject: BORROWED, body: expect.stringContaining(id), event },
    ]);
    await expect(results('dead-letters', 'show', '2')).rejects.toThrow('there is no dead letter 2');
  });

  it('has dead letters delivered once more: chosen ones, those of a consumer, or all', async () => {
    library.relay({ outbox: store.outbox });
    const first = startFailing();
    const second = startFailing(OTHER, RETURNED);
    const ids = await commit(store, borrowed('a'), borrowed('b'));
    await deadLetters(2);
    const [returned = ''] = await commit(store, borrowed('a', { type: RETURNED }));
    await deadLetters(3);
    first.mend();
    second.mend();
    expect(await results('dead-letters', 'return', '4')).toEqual([{ returned: 0 }]);
    expect(await results('dead-letters', 'return', '3', '--consumer', CONSUMER)).toEqual([{ returned: 0 }]);
    expect(await results('dead-letters', 'return', 'all', '--consumer', OTHER)).toEqual([{ returned: 1 }]);
    await waitFor(() => second.handled.length === 1);
    expect(second.handled).toEqual([returned]);
    expect(await results('dead-letters', 'return', '2', '1', '2')).toEqual([{ returned: 2 }]);
    await waitFor(() => first.handled.length === 2);
    expect(new Set(first.handled)).toEqual(new Set(ids));
    expect(await deadLettersAt(library.bus)).toEqual([]);
  });

  it('discards dead letters: chosen ones, those of a consumer, or all; their events are not handled any more', async () => {
    library.relay({ outbox: store.outbox });
    const first = startFailing();
    startFailing(OTHER, RETURNED);
    await commit(store, ...['a', 'b', 'c'].map((book) => borrowed(book)));
    await deadLetters(3);
    await commit(store, borrowed('a', { type: RETURNED }));
    await deadLetters(4);
    first.mend();
    expect(await results('dead-letters', 'discard', '2')).toEqual([{ discarded: 1 }]);
    expect((await deadLettersAt(library.bus)).map(({ sequence }) => sequence)).toEqual([1, 3, 4]);
    expect(await results('dead-letters', 'discard', 'all', '--consumer', OTHER)).toEqual([{ discarded: 1 }]);
    expect((await deadLettersAt(library.bus)).map(({ sequence }) => sequence)).toEqual([1, 3]);
    expect(await results('dead-letters', 'discard', 'all')).toEqual([{ discarded: 2 }]);
    expect(await results('dead-letters', 'list')).toEqual([]);
    expect(await results('lag')).toMatchObject([{}, { consumer: CONSUMER, events: 0, deadLetters: 0 }, {}]);
    expect(first.handled).toEqual([]);
  });

  it('publishes a time once more, all of it, some types or one organisation', async () => {
    library.relay({ outbox: store.outbox });
    const [first, second, third] = await commit(
      store,
      borrowed('a'),
      borrowed('a', { type: RETURNED }),
      borrowed('a', { organisationId: 'org_2' }),
    );
    await waitFor(async () => (await published()).length === 3);
    const range = ['--from', '2020-01-01T00:00:00Z', '--to', '2100-01-01T00:00:00Z'];
    const before = ['--from', '2020-01-01T00:00:00Z', '--to', '2021-01-01T00:00:00Z'];
    expect(await results('replay', ...range, '--type', RETURNED)).toEqual([{ replayed: 1 }]);
    expect(await results('replay', ...range, '--organisation', 'org_2')).toEqual([{ replayed: 1 }]);
    expect(await results('replay', ...before)).toEqual([{ replayed: 0 }]);
    expect(await results('replay', ...range)).toEqual([{ replayed: 3 }]);
    expect((await published()).slice(3)).toEqual([second, third, first, second, third]);
  });

  it('publishes everything once more into a NATS that has lost everything', async () => {
    library.relay({ outbox: store.outbox });
    library.stopLater(
      startReaction({
        bus: library.bus,
        ...told(),
        inbox: store.inbox,
        name: CONSUMER,
        on: BORROWED,
        effect: store.recordEffect,
      }),
    );
    const ids = await commit(store, borrowed('a'), borrowed('b'));
    await waitFor(async () => (await store.effects('org_1')).length === 2);
    await library.nats.drop();
    await library.nats.start();
    await makeStreams(library.nats);
    expect(await results('replay', '--from', '2020-01-01', '--to', '2100-01-01')).toEqual([{ replayed: 2 }]);
    await waitFor(async () => JSON.stringify(await results('lag')).includes(`{"consumer":"${CONSUMER}","events":0`));
    expect(await published()).toEqual(ids);
    expect((await store.effects('org_1')).toSorted()).toEqual(ids.toSorted());
  });

  it.each([
    [[], 'say what to do with the events'],
    [['burn'], 'say what to do with the events'],
    [['dead-letters'], 'say what to do with the events'],
    [['dead-letters', 'burn'], 'say what to do with the events'],
    [['constructor'], 'say what to do with the events'],
    [['set-aside', 'retry'], 'say which events: their ids, or all'],
    [['set-aside', 'list', '--all'], "Unknown option '--all'"],
    [['replay', '--from', '2020-01-01'], '--to needs a time'],
    [['dead-letters', 'show'], 'say which dead letter: its sequence'],
    [['dead-letters', 'return'], 'say which dead letters: their sequences, or all'],
    [['dead-letters', 'discard', 'x'], '"x" is not the sequence of a dead letter'],
  ])('who says %j is told what is wrong', async (args, message) => {
    await expect(results(...args)).rejects.toThrow(message);
  });
});
