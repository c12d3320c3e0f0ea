import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { startReaction } from '../../src/index.ts';
import { BORROWED } from './events.ts';
import { openLibrary, told, storedIds, type Library } from './library.ts';
import type { EventStorage, StoreUnderTest } from './store-under-test.ts';
import { wireTo, type Interception } from './wire.ts';

/** A real process, killed at the two moments at which an event could be lost or doubled. */
export function killedProcessSuite<Transaction>(storage: EventStorage<Transaction>): void {
  let library: Library;
  let store: StoreUnderTest<Transaction>;

  beforeEach(async () => {
    [library, store] = await Promise.all([openLibrary(), storage.open()]);
  });

  afterEach(async () => {
    await library.close();
    await store.close();
  });

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
    const { script, arguments: own } = store.relayProcess;
    return spawn(process.execPath, [fileURLToPath(script), ...own, natsUrl, 'doomed'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  async function expectOneEffect(id: string): Promise<void> {
    library.stopLater(
      startReaction({
        bus: library.bus,
        inbox: store.inbox,
        ...told(),
        name: 'library-on-book-borrowed',
        on: BORROWED,
        effect: store.recordEffect,
      }),
    );
    await waitFor(async () => (await store.effects('org_1')).length > 0);
    expect(await store.effects('org_1')).toEqual([id]);
    expect(await storedIds(library.bus)).toEqual([id]);
    await waitFor(async () => (await store.outbox.backlog()).events === 0);
  }

  describe(`a process with events in ${storage.name} that is killed`, () => {
    it('between the commit and the publishing leaves the event for the next relay: it has its effect once', async () => {
      const id = await killAt((reached) => ({
        toServer(piece) {
          if (!piece.includes('doomed')) return true;
          reached();
          return false;
        },
      }));
      expect(await storedIds(library.bus)).toEqual([]);
      expect((await store.outbox.backlog()).events).toBe(1);
      library.relay({ outbox: store.outbox });
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
      expect(await storedIds(library.bus)).toEqual([id]);
      expect((await store.outbox.backlog()).events).toBe(1);
      library.relay({ outbox: store.outbox });
      await waitFor(async () => (await store.outbox.backlog()).events === 0);
      await expectOneEffect(id);
    });
  });
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('the process has no output');
  for await (const line of createInterface(stdout)) return line;
  throw new Error('the process ended early');
}
