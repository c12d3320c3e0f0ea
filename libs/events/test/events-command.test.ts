import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform/testing';
import { eventsCommand, listDeadLetters, listSetAside, postgresOutbox, startConsumer } from '../src/index.ts';
import { BORROWED, borrowed, commit, openLibrary, quiet, RETURNED, stored, type Library } from './library.ts';

let library: Library;

beforeEach(async () => {
  library = await openLibrary();
});

afterEach(() => library.close());

/** What the command writes. */
async function results(...args: string[]): Promise<object[]> {
  const written: object[] = [];
  await eventsCommand({
    args,
    databaseUrl: library.postgres.appUrl,
    natsUrl: library.nats.url,
    logger: quiet,
    write: (result) => written.push(result),
  });
  return written;
}

const published = async (): Promise<string[]> => (await stored(library.bus)).map(({ event }) => event.id);

describe('an operator', () => {
  it('sees how many events wait', async () => {
    await commit(library.database, borrowed('a'), borrowed('b'));
    expect(await results('backlog')).toEqual([{ events: 2, oldestAgeMs: expect.any(Number), setAside: 0 }]);
  });

  it('sees the events that were set aside, and has one or all tried once more', async () => {
    const ids = await commit(library.database, borrowed('a'), borrowed('b'), borrowed('c'));
    const [first = ''] = ids;
    await postgresOutbox(library.database).publishNext(10, () =>
      Promise.resolve({ published: new Set(), hopeless: new Map(ids.map((id) => [id, 'too large'])) }),
    );
    expect(await results('set-aside')).toMatchObject(ids.map((id) => ({ id, reason: 'too large' })));
    expect(await results('set-aside', '--retry', first, '--retry', 'unknown')).toEqual([{ retried: 1 }]);
    expect(await results('set-aside', '--retry', 'all')).toEqual([{ retried: 2 }]);
    expect(await listSetAside(library.database)).toEqual([]);
    library.relay();
    await waitFor(async () => (await published()).length === 3);
    expect(await published()).toEqual(ids);
  });

  it('sees dead letters of a consumer, and has them delivered once more', async () => {
    library.relay();
    const name = 'library-on-book-borrowed';
    let works = false;
    const react = () => (works ? Promise.resolve() : Promise.reject(new Error('not today')));
    library.stopLater(startConsumer({ bus: library.bus, logger: quiet, name, on: BORROWED, react, maxDeliveries: 1 }));
    const [id] = await commit(library.database, borrowed('a'));
    await waitFor(async () => (await listDeadLetters(library.bus)).length === 1);
    expect(await results('dead-letters', '--consumer', name)).toEqual([
      {
        sequence: 1,
        consumer: name,
        reason: 'not today',
        deliveries: 1,
        time: expect.any(Date),
        subject: BORROWED,
        body: expect.stringContaining(id ?? ''),
      },
    ]);
    expect(await results('dead-letters', '--consumer', 'library-other')).toEqual([]);
    works = true;
    expect(await results('dead-letters', '--return', '2')).toEqual([{ returned: 0 }]);
    expect(await results('dead-letters', '--return', '1')).toEqual([{ returned: 1 }]);
    expect(await listDeadLetters(library.bus)).toEqual([]);
  });

  it('publishes a time once more, all of it or some types', async () => {
    library.relay();
    const [first, second] = await commit(library.database, borrowed('a'), borrowed('a', { type: RETURNED }));
    await waitFor(async () => (await published()).length === 2);
    const range = ['--from', '2020-01-01T00:00:00Z', '--to', '2100-01-01T00:00:00Z'];
    expect(await results('replay', ...range, '--type', RETURNED)).toEqual([{ replayed: 1 }]);
    expect(await results('replay', ...range)).toEqual([{ replayed: 2 }]);
    expect(await published()).toEqual([first, second, second, first, second]);
  });

  it.each([
    [[], 'say what to do with the events'],
    [['burn'], 'say what to do with the events'],
    [['set-aside', '--retry-all'], "Unknown option '--retry-all'"],
    [['replay', '--from', '2020-01-01'], '--to needs a time'],
    [['dead-letters', '--return', 'x'], '--return needs the sequence of a dead letter, or all'],
  ])('who says %j is told what is wrong', async (args, message) => {
    await expect(results(...args)).rejects.toThrow(message);
  });
});
