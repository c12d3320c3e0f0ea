import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { openEventBus, subscribe, toCloudEvent, type SubscriptionOptions } from '../src/index.ts';
import { sessionOf } from '../src/nats/event-bus.ts';
import { EVENT_STREAM } from '../src/nats/streams.ts';
import { borrowed, deliverAgain, type Library, openLibrary, quiet, RETURNED } from './suite/index.ts';

let library: Library;

beforeEach(async () => {
  library = await openLibrary();
});

afterEach(() => library.close());

const publish = (subject: string, type?: string): Promise<void> =>
  deliverAgain(library.bus, toCloudEvent(borrowed(subject, type === undefined ? {} : { type })), type);

interface Watch {
  subjects: string[];
  /** `on` and `off` in the order they were called. */
  changes: string[];
  isOn: () => boolean;
}

function watch(options: Partial<SubscriptionOptions> = {}): Watch {
  const seen: Watch = { subjects: [], changes: [], isOn: () => seen.changes.at(-1) === 'on' };
  library.stopLater(
    subscribe({
      bus: library.bus,
      logger: quiet,
      on: 'platform.v1.library.book.*',
      onEvent: ({ subject }) => seen.subjects.push(subject),
      onConnected: () => seen.changes.push('on'),
      onDisconnected: () => seen.changes.push('off'),
      ...options,
    }),
  );
  return seen;
}

describe('a subscription to events', () => {
  it('shows every event from the moment it says it is connected, in order, and none from before', async () => {
    await publish('before');
    const seen = watch();
    await waitFor(seen.isOn);
    const subjects = Array.from({ length: 50 }, (_, index) => `book ${index}`);
    for (const subject of subjects) await publish(subject);
    await waitFor(() => seen.subjects.length === 50);
    expect(seen.subjects).toEqual(subjects);
  });

  it('shows each process everything, and each the kinds it asked for', async () => {
    const bus = library.stopLater(openEventBus({ servers: library.nats.url, name: 'second', logger: quiet }));
    const all = watch({ bus });
    const returned = watch({ on: RETURNED });
    await waitFor(() => all.isOn() && returned.isOn());
    await publish('a');
    await publish('b', RETURNED);
    await waitFor(() => all.subjects.length === 2 && returned.subjects.length === 1);
    expect([all.subjects, returned.subjects]).toEqual([['a', 'b'], ['b']]);
  });

  it('says at once that it is cut off, and shows afterwards what it missed', async () => {
    const seen = watch();
    await waitFor(seen.isOn);
    await publish('a');
    await waitFor(() => seen.subjects.length === 1);
    await library.nats.kill();
    await waitFor(() => seen.changes.at(-1) === 'off');
    await library.nats.start();
    await publish('b');
    await waitFor(() => seen.subjects.length === 2);
    await waitFor(seen.isOn);
    expect(seen.subjects).toEqual(['a', 'b']);
    expect(seen.changes).toEqual(['on', 'off', 'on']);
  });

  it('is not held up by a subscriber that throws', async () => {
    const subjects: string[] = [];
    const seen = watch({
      onEvent({ subject }) {
        subjects.push(subject);
        throw new Error('clumsy');
      },
    });
    await waitFor(seen.isOn);
    await publish('a');
    await deliverAgain(library.bus, 'not an event');
    await publish('b');
    await waitFor(() => subjects.length === 2);
    expect(seen.changes).toEqual(['on']);
  });

  it('goes on when the stream is made anew and counts from one again', async () => {
    const seen = watch();
    await waitFor(seen.isOn);
    for (const subject of ['a', 'b', 'c']) await publish(subject);
    await waitFor(() => seen.subjects.length === 3);
    const { manager } = await sessionOf(library.bus);
    const { config } = await manager.streams.info(EVENT_STREAM);
    await manager.streams.delete(EVENT_STREAM);
    await manager.streams.add(config);
    await waitFor(() => seen.changes.join() === 'on,off,on');
    await publish('d');
    await waitFor(() => seen.subjects.length === 4);
    expect(seen.subjects).toEqual(['a', 'b', 'c', 'd']);
  });

  it('that is opened while NATS is away connects when it comes', async () => {
    await library.nats.stop();
    const bus = library.stopLater(openEventBus({ servers: library.nats.url, name: 'early', logger: quiet }));
    const seen = watch({ bus });
    expect(seen.changes).toEqual([]);
    await library.nats.start();
    await waitFor(seen.isOn);
  });
});
