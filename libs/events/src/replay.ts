import { newId } from '@platform/core';
import type { Database, Knex } from '@platform/postgres';
import { deadLetters, type DeadLetter } from './dead-letters.ts';
import { RELAY_SETTINGS } from './event-tables.ts';
import type { EventBus, Session } from './nats/event-bus.ts';
import { publish } from './nats/publish.ts';
import { DEAD_STREAM } from './nats/streams.ts';

export interface ReplayRequest {
  database: Database;
  bus: EventBus;
  /** Events appended from this moment on ... */
  from: Date;
  /** ... and before this one. */
  to: Date;
  /** Only these types; all unless given. */
  types?: readonly string[];
}

const REPLAY_HEADER = 'Platform-Replay';
/** Of half a mebibyte at most. */
const BATCH = 100;

/**
 * Publishes what the outbox still holds of a time range once more, in its order, and returns how many. The message
 * id is a new one, so that the stream takes a repeat inside its duplicate window; the event id is the old one, so that
 * consumers which have handled it do nothing.
 */
export async function replayOutbox({ database, bus, from, to, types }: ReplayRequest): Promise<number> {
  const run = newId();
  const session = await sessionOf(bus);
  let count = 0;
  let after = '0';
  for (;;) {
    const rows = await database.system(RELAY_SETTINGS, (trx) => nextRows(trx, { from, to, types, after }));
    await Promise.all(
      rows.map(({ id, type, body }) =>
        publish(session, { subject: type, body, id: `${id}:${run}`, headers: { [REPLAY_HEADER]: run } }),
      ),
    );
    count += rows.length;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return count;
    after = last.sequence;
  }
}

interface Range {
  from: Date;
  to: Date;
  types: readonly string[] | undefined;
  after: string;
}

interface StoredEvent {
  sequence: string;
  id: string;
  type: string;
  body: string;
}

async function nextRows(trx: Knex.Transaction, { from, to, types, after }: Range): Promise<StoredEvent[]> {
  const rows = trx('outbox')
    .select<StoredEvent[]>('sequence', 'id', 'type', trx.raw('envelope::text AS body'))
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(BATCH);
  if (types) void rows.whereIn('type', [...types]);
  return rows;
}

export interface ReturnRequest {
  bus: EventBus;
  /** Only what this consumer gave up. */
  consumer?: string;
  /** Only these places in the dead-letter stream. */
  sequences?: readonly number[];
}

/**
 * Publishes dead letters once more on their own subject and removes each after that; returns how many. Other
 * consumers of the event see it again as well, and their inboxes ignore it.
 */
export async function returnDeadLetters({ bus, consumer, sequences }: ReturnRequest): Promise<number> {
  const session = await sessionOf(bus);
  let count = 0;
  for await (const { sequence, subject, body } of deadLetters(session, consumer)) {
    if (sequences && !sequences.includes(sequence)) continue;
    const id = `returned:${sequence}:${newId()}`;
    await publish(session, { subject, body, id, headers: { [REPLAY_HEADER]: 'dead letter' } });
    await session.manager.streams.deleteMessage(DEAD_STREAM, sequence, false);
    count += 1;
  }
  return count;
}

/** These are an operator's commands: they wait for NATS like everything else, and say what they wait for. */
async function sessionOf(bus: EventBus): Promise<Session> {
  const session = await bus.ready(AbortSignal.timeout(10_000));
  if (!session) throw new Error('NATS cannot be reached');
  return session;
}

/** What was given up and waits to be looked at, oldest first. */
export async function listDeadLetters(bus: EventBus, consumer?: string): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  for await (const letter of deadLetters(await sessionOf(bus), consumer)) letters.push(letter);
  return letters;
}
