import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform/testing';
import { replayOutbox, startConsumer, startReaction } from '../src/index.ts';
import { EVENT_STREAM } from '../src/nats/streams.ts';
import {
  BORROWED,
  borrowed,
  commit,
  effects,
  type Library,
  openLibrary,
  quiet,
  recordEffect,
  RETURNED,
  sessionOf,
  stored,
} from './library.ts';

let library: Library;

beforeEach(async () => {
  library = await openLibrary();
});

afterEach(() => library.close());

const everything = { from: new Date(0), to: new Date('2100-01-01') };

const arrived = async (count: number): Promise<string[]> => {
  await waitFor(async () => (await stored(library.bus)).length >= count);
  return (await stored(library.bus)).map(({ event }) => event.id);
};

describe('replaying the outbox', () => {
  it('brings back what the stream lost; who has handled an event does nothing, who has not does it', async () => {
    const { database, bus } = library;
    library.relay();
    const reaction = { logger: quiet, bus, database, on: BORROWED, effect: recordEffect };
    library.stopLater(startReaction({ ...reaction, name: 'library-on-first-run' }));
    const ids = await commit(database, borrowed('a'), borrowed('b'));
    await waitFor(async () => (await effects(database)).length === 2);
    const { manager } = await sessionOf(bus);
    await manager.streams.purge(EVENT_STREAM);

    let handledAgain = 0;
    library.stopLater(
      startConsumer({
        ...reaction,
        name: 'library-on-every-copy',
        react: () => {
          handledAgain += 1;
          return Promise.resolve();
        },
      }),
    );
    expect(await replayOutbox({ database, bus, ...everything })).toBe(2);
    await waitFor(() => handledAgain === 2);
    await waitFor(async () => {
      const { delivered, num_ack_pending } = await manager.consumers.info(EVENT_STREAM, 'library-on-first-run');
      return delivered.stream_seq >= 4 && num_ack_pending === 0;
    });
    expect((await effects(database)).toSorted()).toEqual(ids.toSorted());
  });

  it('takes only the time range and the types that were asked for, in their order', async () => {
    const { database, bus } = library;
    library.relay();
    const [early = ''] = await commit(database, borrowed('a'));
    await arrived(1);
    await database.system({ 'app.outbox': 'relay' }, (trx) =>
      trx('outbox').update({ created_at: new Date('2026-01-01') }),
    );
    const [first = '', , third = ''] = await commit(
      database,
      borrowed('b'),
      borrowed('c', { type: RETURNED }),
      borrowed('d'),
    );
    const before = await arrived(4);
    const range = { from: new Date('2026-02-01'), to: new Date('2100-01-01') };
    expect(await replayOutbox({ database, bus, ...range, types: [BORROWED] })).toBe(2);
    expect((await arrived(6)).slice(before.length)).toEqual([first, third]);
    expect(await replayOutbox({ database, bus, from: new Date('2025-12-31'), to: new Date('2026-01-02') })).toBe(1);
    expect((await arrived(7)).at(-1)).toBe(early);
  });

  it('goes through a long outbox piece by piece', async () => {
    const { database, bus } = library;
    await commit(database, ...Array.from({ length: 1_201 }, (_, index) => borrowed(`book ${index}`)));
    expect(await replayOutbox({ database, bus, ...everything })).toBe(1_201);
  });
});
