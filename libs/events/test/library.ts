import { createLogger, newId, type Logger } from '@platform/core';
import { createMetrics } from '@platform/core/metrics';
import { migrate, openDatabase, type Database } from '@platform/postgres';
import { throwawayNats, throwawayPostgres, type ThrowawayNats, type ThrowawayPostgres } from '@platform/testing';
import {
  appendToOutbox,
  openEventBus,
  postgresOutbox,
  startRelay,
  type Effect,
  type Event,
  type EventBus,
  type Relay,
  type RelayOptions,
} from '../src/index.ts';
import { setUpStreams } from '../src/set-up.ts';
import { EVENT_STREAM } from '../src/nats/streams.ts';
import type { Session } from '../src/nats/event-bus.ts';

export const quiet = createLogger({ service: 'test', level: 'silent' });

/** A logger, and what it has written. */
export function logOf(): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { logger: createLogger({ service: 'test', destination: { write } }), lines };
}

export const BORROWED = 'platform.v1.library.book.borrowed';
export const RETURNED = 'platform.v1.library.book.returned';

/** A service of these tests: its database, real NATS, and everything that was started, to be stopped together. */
export interface Library {
  postgres: ThrowawayPostgres;
  nats: ThrowawayNats;
  database: Database;
  bus: EventBus;
  /** Stopped before everything else, the newest first. */
  stopLater<T extends { stop(): Promise<void> } | { close(): Promise<void> }>(part: T): T;
  relay(options?: Partial<RelayOptions>): Relay;
  close(): Promise<void>;
}

export async function openLibrary(): Promise<Library> {
  const [postgres, nats] = await Promise.all([throwawayPostgres(), throwawayNats()]);
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(20_000) });
  const directory = new URL('./migrations/', import.meta.url);
  await migrate({ url: postgres.ownerUrl, directory, appRole: postgres.appRole, logger: quiet });
  const database = openDatabase({ url: postgres.appUrl, applicationName: 'library', logger: quiet });
  const bus = openEventBus({ servers: nats.url, name: 'library', logger: quiet });
  const parts: ({ stop(): Promise<void> } | { close(): Promise<void> })[] = [];
  const library: Library = {
    postgres,
    nats,
    database,
    bus,
    stopLater(part) {
      parts.push(part);
      return part;
    },
    relay: (options) =>
      library.stopLater(
        startRelay({ outbox: postgresOutbox(database), bus, logger: quiet, metrics: createMetrics(), ...options }),
      ),
    async close() {
      for (const part of parts.toReversed()) await ('stop' in part ? part.stop() : part.close());
      await bus.close();
      await database.close();
      await nats.drop();
      await postgres.drop();
    },
  };
  return library;
}

export const borrowed = (subject: string, change: Partial<Event> = {}): Event => ({
  type: BORROWED,
  organisationId: 'org_1',
  subject,
  data: {},
  time: new Date('2026-03-01T12:00:00.000Z'),
  ...change,
});

/** Commits these events, one transaction per organisation, and returns their ids in order. */
export async function commit(database: Database, ...events: Event[]): Promise<string[]> {
  const named = events.map((event) => ({ id: newId(), ...event }));
  for (const organisationId of new Set(named.map((event) => event.organisationId))) {
    const own = named.filter((event) => event.organisationId === organisationId);
    await database.tenant(organisationId, (trx) => appendToOutbox(trx, own));
  }
  return named.map(({ id }) => id);
}

/** Writes one row per run; used as the reaction of these tests. */
export const recordEffect: Effect = async (trx, { id, organisationId, subject }) => {
  await trx('effects').insert({ organisation_id: organisationId, event_id: id, subject });
};

/** The ids of the events that had an effect, in the order of their effects. */
export const effects = (database: Database, organisationId = 'org_1'): Promise<string[]> =>
  database.tenant(organisationId, (trx) => trx('effects').orderBy('number').pluck<string[]>('event_id'));

export interface StoredMessage {
  subject: string;
  event: { id: string; subject: string };
}

/** Everything in the event stream, oldest first. */
export async function stored(bus: EventBus): Promise<StoredMessage[]> {
  const { manager } = await sessionOf(bus);
  const { state } = await manager.streams.info(EVENT_STREAM);
  const messages: StoredMessage[] = [];
  for (let sequence = Math.max(state.first_seq, 1); sequence <= state.last_seq; sequence += 1) {
    const message = await manager.streams.getMessage(EVENT_STREAM, { seq: sequence });
    if (message) messages.push({ subject: message.subject, event: message.json() });
  }
  return messages;
}

export async function sessionOf(bus: EventBus): Promise<Session> {
  const session = await bus.ready(AbortSignal.timeout(5_000));
  if (!session) throw new Error('NATS did not come');
  return session;
}

/** Puts an event into the stream as a second relay would: the same id and body, past the stream's own check. */
export async function deliverAgain(bus: EventBus, body: unknown, subject = BORROWED): Promise<void> {
  const { client } = await sessionOf(bus);
  await client.publish(subject, typeof body === 'string' ? body : JSON.stringify(body));
}
