import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { openBroadcast, openEventBus, type Broadcast } from '../src/index.ts';
import { openLibrary, quiet, type Library } from './suite/index.ts';

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
});
afterAll(() => library.close());

interface Member extends Broadcast {
  readonly heard: unknown[];
}

function member(topic = 'counts'): Member {
  const heard: unknown[] = [];
  const bus = library.stopLater(openEventBus({ servers: library.nats.url, name: 'member', logger: quiet }));
  const onMessage = (message: unknown): void => {
    if (message === 'bad') throw new Error('a bad message');
    heard.push(message);
  };
  const broadcast = library.stopLater(openBroadcast({ bus, logger: quiet, service: 'library', topic, onMessage }));
  return Object.assign(broadcast, { heard });
}

/** Until each of them hears the others: what is sent before is heard by nobody. */
const connected = (members: readonly Member[]): Promise<boolean> =>
  waitFor(() => {
    for (const each of members) each.send('here');
    return members.every(({ heard }) => heard.filter((message) => message === 'here').length >= members.length - 1);
  });

describe('a broadcast between the processes of a service', () => {
  it('reaches every other process, in the order in which one sends it, and not the sender', async () => {
    const [one, two, three] = [member(), member(), member()];
    await connected([one, two, three]);
    for (const count of [1, 2, 3]) expect(one.send({ count })).toBe(true);
    const counts = ({ heard }: Member): unknown[] => heard.filter((message) => message !== 'here');
    await waitFor(() => counts(two).length === 3 && counts(three).length === 3);
    expect([counts(two), counts(three), counts(one)]).toEqual([
      [{ count: 1 }, { count: 2 }, { count: 3 }],
      [{ count: 1 }, { count: 2 }, { count: 3 }],
      [],
    ]);
  });

  it('goes on after a message that its receiver cannot take, and hears nothing of another topic', async () => {
    const [one, two, other] = [member(), member(), member('other')];
    await connected([one, two]);
    one.send('bad');
    one.send('good');
    await waitFor(() => two.heard.includes('good'));
    expect(other.heard).toEqual([]);
  });

  it('says that nobody hears it while NATS is away, and is heard again when it is back', async () => {
    const [one, two] = [member(), member()];
    await connected([one, two]);
    await library.nats.kill();
    await waitFor(() => !one.send('lost'));
    await library.nats.start();
    await waitFor(() => one.send('again') && two.heard.includes('again'));
    expect(two.heard).not.toContain('lost');
  });
});
