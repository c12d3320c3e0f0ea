import type { Logger } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { createMetrics, type Metrics } from '@platform-backend/core/metrics';
import { throwawayNats, type ThrowawayNats } from '@platform-backend/testing';
import { consumerLag } from '../../src/consumer-lag.ts';
import {
  listDeadLetters,
  openEventBus,
  startRelay,
  type DeadLetter,
  type DeadLetterChoice,
  type EventBus,
  type Relay,
  type RelayOptions,
} from '../../src/index.ts';
import { sessionOf } from '../../src/nats/event-bus.ts';
import { EVENT_STREAM } from '../../src/nats/streams.ts';
import { setUpStreams } from '../../src/set-up.ts';
import { BORROWED } from './events.ts';

export const quiet = createLogger({ service: 'test', level: 'silent' });

/** What metrics show on their page; one line each. */
export async function shownBy(metrics: Metrics): Promise<string[]> {
  const page = await metrics.serve('127.0.0.1:0');
  try {
    return (await (await fetch(`http://${page.address}/metrics`)).text()).split('\n');
  } finally {
    await page.close();
  }
}

/** What every part of these tests is given that has something to say. */
export const told = () => ({ logger: quiet, metrics: createMetrics() });

/** A logger, and what it has written. */
export function logOf(): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { logger: createLogger({ service: 'test', destination: { write } }), lines };
}

/** A service of these tests without a storage: real NATS, and everything that was started, to be stopped together. */
export interface Library {
  nats: ThrowawayNats;
  bus: EventBus;
  /** Stopped before everything else, the newest first. */
  stopLater<T extends { stop(): Promise<void> } | { close(): Promise<void> }>(part: T): T;
  relay(options: Partial<RelayOptions> & Pick<RelayOptions, 'outbox'>): Relay;
  close(): Promise<void>;
}

export async function openLibrary(): Promise<Library> {
  const nats = await throwawayNats();
  await makeStreams(nats);
  const bus = openEventBus({ servers: nats.url, name: 'library', logger: quiet });
  const parts: ({ stop(): Promise<void> } | { close(): Promise<void> })[] = [];
  const library: Library = {
    nats,
    bus,
    stopLater(part) {
      parts.push(part);
      return part;
    },
    relay: (options) => library.stopLater(startRelay({ bus, ...told(), ...options })),
    async close() {
      for (const part of parts.toReversed()) await ('stop' in part ? part.stop() : part.close());
      await bus.close();
      await nats.drop();
    },
  };
  return library;
}

export const makeStreams = ({ url }: ThrowawayNats): Promise<void> =>
  setUpStreams({ servers: url, signal: AbortSignal.timeout(240_000) });

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

/** The ids of the events in the stream, oldest first. */
export const storedIds = async (bus: EventBus): Promise<string[]> => (await stored(bus)).map(({ event }) => event.id);

/** Puts an event into the stream as a second relay would: the same id and body, past the stream's own check. */
export async function deliverAgain(bus: EventBus, body: unknown, subject = BORROWED): Promise<void> {
  const { client } = await sessionOf(bus);
  await client.publish(subject, typeof body === 'string' ? body : JSON.stringify(body));
}

/** The stream takes no event of more than so many bytes from now on; -1 is any. */
export async function limitEventSize(bus: EventBus, bytes: number): Promise<void> {
  const { manager } = await sessionOf(bus);
  await manager.streams.update(EVENT_STREAM, { max_msg_size: bytes });
}

/** The dead letters that are there, oldest first. */
export async function deadLettersAt(bus: EventBus, choice?: DeadLetterChoice): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  for await (const letter of listDeadLetters(bus, choice)) letters.push(letter);
  return letters;
}

/** How many events a consumer has yet to finish. */
export async function unfinishedOf(bus: EventBus, consumer: string): Promise<number> {
  return (await consumerLag(await sessionOf(bus), consumer)).events;
}
