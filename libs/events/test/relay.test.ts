import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openEventBus, postgresOutbox, startReaction, type Outbox } from '../src/index.ts';
import { borrowed, commit, effects, type Library, openLibrary, quiet, recordEffect, stored } from './library.ts';
import { wireTo, type Interception } from './wire.ts';

let library: Library;

beforeEach(async () => {
  library = await openLibrary();
});

afterEach(() => library.close());

const idsOf = async (): Promise<string[]> => (await stored(library.bus)).map(({ event }) => event.id);

const backlog = async (): Promise<number> => (await postgresOutbox(library.database).backlog()).events;

describe('relaying', () => {
  it('publishes each committed event on the subject of its type, with its id', async () => {
    library.relay({ pollMs: 60_000 });
    const ids = await commit(library.database, borrowed('a'), borrowed('b'));
    await waitFor(async () => (await backlog()) === 0);
    expect((await stored(library.bus)).map(({ subject, event }) => [subject, event.id])).toEqual(
      ids.map((id) => ['platform.v1.library.book.borrowed', id]),
    );
  });

  it('is woken by the commit: the next look at the table is a minute away', async () => {
    library.relay({ pollMs: 60_000 });
    await waitFor(() => library.bus.isConnected);
    for (const subject of ['a', 'b', 'c']) {
      const [id] = await commit(library.database, borrowed(subject));
      await waitFor(async () => (await idsOf()).at(-1) === id);
    }
  });

  it('looks for events no more often than it may, however often it is woken', async () => {
    const outbox = postgresOutbox(library.database);
    const looks: number[] = [];
    let wake = (): void => undefined;
    const watched: Outbox = {
      ...outbox,
      publishNext: (limit, publish) => {
        looks.push(performance.now());
        // Something new is committed before the look is over.
        wake();
        return outbox.publishNext(limit, publish);
      },
      listen: (call) => {
        wake = call;
        return outbox.listen(call);
      },
    };
    library.relay({ outbox: watched, gatherMs: 100 });
    await waitFor(() => looks.length === 4);
    const [first = 0, , , fourth = 0] = looks;
    expect(fourth - first).toBeGreaterThanOrEqual(295);
  });

  it('by three relays at once puts each event into the stream once, each subject in its order', async () => {
    for (let relay = 0; relay < 3; relay += 1) library.relay({ batchSize: 7, pollMs: 50 });
    const events = Array.from({ length: 200 }, (_, index) => borrowed(`book ${index % 10}`));
    const ids: string[] = [];
    for (let start = 0; start < events.length; start += 20) {
      ids.push(...(await commit(library.database, ...events.slice(start, start + 20))));
    }
    await waitFor(async () => (await backlog()) === 0);
    const messages = await stored(library.bus);
    expect(messages.map(({ event }) => event.id).toSorted()).toEqual(ids.toSorted());
    for (let book = 0; book < 10; book += 1) {
      const arrived = messages.filter(({ event }) => event.subject === `book ${book}`).map(({ event }) => event.id);
      expect(arrived).toEqual(ids.filter((_, index) => index % 10 === book));
    }
  });

  it('loses nothing when NATS stops in the middle and comes back', async () => {
    library.relay({ batchSize: 5, pollMs: 50 });
    const ids = await commit(library.database, ...Array.from({ length: 40 }, (_, index) => borrowed(`book ${index}`)));
    await waitFor(async () => (await backlog()) < 40);
    await library.nats.kill();
    ids.push(...(await commit(library.database, borrowed('while NATS was away'))));
    expect(await backlog()).toBeGreaterThan(0);
    await library.nats.start();
    await waitFor(async () => (await backlog()) === 0);
    expect((await idsOf()).toSorted()).toEqual(ids.toSorted());
  });

  it('does not hold up a service that starts while NATS is away', async () => {
    await library.nats.stop();
    const bus = library.stopLater(openEventBus({ servers: library.nats.url, name: 'early', logger: quiet }));
    library.relay({ bus });
    const ids = await commit(library.database, borrowed('a'));
    expect(bus.isConnected).toBe(false);
    await library.nats.start();
    await waitFor(async () => (await backlog()) === 0);
    expect(await idsOf()).toEqual(ids);
  });

  it('stops although NATS is away, and the events wait for the next start', async () => {
    const relay = library.relay();
    await library.nats.stop();
    await commit(library.database, borrowed('a'));
    await relay.stop();
    expect(await backlog()).toBe(1);
  });

  it('goes on after the database cut its connections', async () => {
    library.relay({ pollMs: 60_000 });
    await waitFor(() => library.bus.isConnected);
    await library.database.knex
      .raw(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'library listener'`)
      .then(() => undefined);
    const [id] = await commit(library.database, borrowed('a'));
    await waitFor(async () => (await idsOf()).includes(id ?? ''));
  });
});

describe('a process killed', () => {
  /** Runs a service whose line to NATS is cut at the given moment, kills it there, and returns its event's id. */
  async function killAt(cut: (reached: () => void) => Interception): Promise<string> {
    let reached = false;
    const wire = await wireTo(
      library.nats.url,
      cut(() => {
        reached = true;
      }),
    );
    const child = startProcess(wire.url);
    try {
      const id = await firstLine(child);
      await waitFor(() => reached, { what: 'the moment to kill' });
      child.kill('SIGKILL');
      await once(child, 'exit');
      return id;
    } finally {
      await wire.close();
    }
  }

  function startProcess(natsUrl: string): ChildProcess {
    const script = fileURLToPath(new URL('./relay-process.ts', import.meta.url));
    return spawn(process.execPath, [script, library.postgres.appUrl, natsUrl, 'doomed'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  async function firstLine(child: ChildProcess): Promise<string> {
    if (!child.stdout) throw new Error('the process has no output');
    let text = '';
    for await (const piece of child.stdout as AsyncIterable<Buffer>) {
      text += piece.toString();
      const end = text.indexOf('\n');
      if (end >= 0) return text.slice(0, end);
    }
    throw new Error('the process ended early');
  }

  async function expectOneEffect(id: string): Promise<void> {
    library.stopLater(
      startReaction({
        bus: library.bus,
        database: library.database,
        logger: quiet,
        name: 'library-on-book-borrowed',
        on: 'platform.v1.library.book.borrowed',
        effect: recordEffect,
      }),
    );
    await waitFor(async () => (await effects(library.database)).length > 0);
    expect(await effects(library.database)).toEqual([id]);
    expect(await idsOf()).toEqual([id]);
    await waitFor(async () => (await backlog()) === 0);
  }

  it('between the commit and the publishing leaves the event for the next relay: it has its effect once', async () => {
    const id = await killAt((reached) => ({
      toServer(piece) {
        if (!piece.includes('doomed')) return true;
        reached();
        return false;
      },
    }));
    expect(await idsOf()).toEqual([]);
    expect(await backlog()).toBe(1);
    library.relay();
    await expectOneEffect(id);
  });

  it('between the publishing and the note of it publishes twice: the stream keeps one, it has its effect once', async () => {
    let published = false;
    const id = await killAt((reached) => ({
      toServer(piece) {
        published ||= piece.includes('doomed');
        return true;
      },
      toClient() {
        if (!published) return true;
        reached();
        return false;
      },
    }));
    expect(await idsOf()).toEqual([id]);
    expect(await backlog()).toBe(1);
    library.relay();
    await waitFor(async () => (await backlog()) === 0);
    await expectOneEffect(id);
  });
});
