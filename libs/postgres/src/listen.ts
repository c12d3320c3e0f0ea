import type { Logger } from '@platform-backend/core';
import { Client, type ClientConfig } from 'pg';

export interface Listening {
  close(): Promise<void>;
}

/** With what a notification says; undefined after each connection, before which some may have been missed. */
export type Wake = (payload?: string) => void;

interface ListenRequest {
  connection: ClientConfig;
  channel: string;
  wake: Wake;
  logger: Logger;
}

const MAX_PAUSE_MS = 5_000;

/**
 * Listens on a connection of its own, since LISTEN belongs to one session and a pool hands sessions round.
 * When the connection breaks it is opened again for as long as it takes.
 */
export function listen({ connection, channel, wake, logger }: ListenRequest): Listening {
  const closing = new AbortController();
  const closed = new Promise<void>((resolve) => {
    closing.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const done = keepListening();

  async function keepListening(): Promise<void> {
    let failures = 0;
    for (;;) {
      try {
        await session(() => {
          failures = 0;
        });
        return;
      } catch (error) {
        if (closing.signal.aborted) return;
        // Once per outage: the pool reports the rest of it.
        if (failures === 0)
          logger.warn(
            { event: 'database.listen_interrupted', err: error, channel },
            'listening for notifications broke off, reconnecting',
          );
        await pause(Math.min(100 * 2 ** failures, MAX_PAUSE_MS), closing.signal);
        failures += 1;
      }
    }
  }

  /** Resolves when closed, rejects when the connection breaks. */
  async function session(connected: () => void): Promise<void> {
    const client = new Client(connection);
    const broken = new Promise<never>((_, reject) => {
      client.on('error', reject);
      client.on('end', () => reject(new Error('the connection ended')));
    });
    broken.catch(() => undefined);
    try {
      await Promise.race([open(client), broken]);
      connected();
      wake();
      await Promise.race([closed, broken]);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function open(client: Client): Promise<void> {
    await client.connect();
    client.on('notification', ({ payload }) => wake(payload ?? ''));
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
  }

  return {
    async close() {
      closing.abort();
      await done;
    },
  };
}

/** Waits, but not beyond the moment of closing. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(finish, ms);
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    }
    signal.addEventListener('abort', finish);
    if (signal.aborted) finish();
  });
}
