import { newId } from '@platform-backend/core';
import { parseCloudEvent } from './cloud-event.ts';
import type { DeliveredEvent } from './event.ts';
import type { Delivery } from './nats/durable-consumer.ts';
import { sessionOf, type EventBus, type Session } from './nats/event-bus.ts';
import { publish, REPLAY_HEADER } from './nats/publish.ts';
import { lastSequence } from './nats/read-stream.ts';
import { DEAD_STREAM, deadSubject } from './nats/streams.ts';

/** A delivery that one consumer gave up. */
export interface DeadLetter {
  /** Its sequence in the dead-letter stream. */
  sequence: number;
  consumer: string;
  reason: string;
  deliveries: number;
  /** When it was given up. */
  time: Date;
  /** The subject it was published on. */
  subject: string;
  /** The message exactly as it was. */
  body: string;
  /** Absent when the body is not an event. */
  event?: DeliveredEvent;
}

const CONSUMER = 'Platform-Consumer';
const REASON = 'Platform-Reason';
const DELIVERIES = 'Platform-Deliveries';
const SUBJECT = 'Platform-Subject';

/** Stores a delivery that `consumer` gave up; only after that may it be dropped from its consumer. */
export async function deadLetter(
  session: Session,
  delivery: Delivery,
  consumer: string,
  reason: string,
): Promise<void> {
  await publish(session, {
    subject: deadSubject(consumer),
    body: delivery.string(),
    // A second attempt to store the same delivery is recognised; a replayed event that fails again is not the same.
    id: `${consumer}:${delivery.seq}:${delivery.timestamp}`,
    headers: {
      [CONSUMER]: consumer,
      [REASON]: headerText(reason),
      [DELIVERIES]: String(delivery.info.deliveryCount),
      [SUBJECT]: delivery.subject,
    },
  });
}

/** Header values are one line of ASCII. */
const headerText = (text: string): string =>
  text
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 500)
    .trim();

/** Which dead letters are meant; all of them unless something is said. */
export interface DeadLetterChoice {
  /** Only what this consumer gave up. */
  consumer?: string | undefined;
  /** Only these sequences of the dead-letter stream. */
  sequences?: readonly number[] | undefined;
}

/** Those that are there at this moment, oldest first. */
export async function* listDeadLetters(bus: EventBus, choice: DeadLetterChoice = {}): AsyncGenerator<DeadLetter> {
  yield* chosenLetters(await sessionOf(bus), choice);
}

/**
 * Publishes dead letters once more on their own subject and removes each after that; returns how many. Other
 * consumers of the event see it again as well, and their inboxes ignore it.
 */
export async function returnDeadLetters(bus: EventBus, choice: DeadLetterChoice = {}): Promise<number> {
  const session = await sessionOf(bus);
  let count = 0;
  for await (const { sequence, subject, body } of chosenLetters(session, choice)) {
    const id = `returned:${sequence}:${newId()}`;
    await publish(session, { subject, body, id, headers: { [REPLAY_HEADER]: 'dead letter' } });
    await remove(session, sequence);
    count += 1;
  }
  return count;
}

/** Removes dead letters for good; returns how many. Their consumer never handles these events. */
export async function discardDeadLetters(bus: EventBus, choice: DeadLetterChoice): Promise<number> {
  const session = await sessionOf(bus);
  let count = 0;
  for await (const { sequence } of chosenLetters(session, choice)) {
    await remove(session, sequence);
    count += 1;
  }
  return count;
}

const remove = ({ manager }: Session, sequence: number): Promise<boolean> =>
  manager.streams.deleteMessage(DEAD_STREAM, sequence, false);

async function* chosenLetters(session: Session, choice: DeadLetterChoice): AsyncGenerator<DeadLetter> {
  const { consumer, sequences } = choice;
  const subject = deadSubject(consumer ?? '>');
  // One that is given up again while this goes on is not among them.
  const end = await lastSequence(session, DEAD_STREAM);
  const sorted = sequences ? [...new Set(sequences)].sort((one, other) => one - other) : undefined;
  for (let next = sorted?.shift() ?? 1; next <= end;) {
    const letter = await letterFrom(session, next, subject);
    if (!letter || letter.sequence > end) return;
    if (!sequences || letter.sequence === next) yield letter;
    next = sorted ? (sorted.shift() ?? Infinity) : letter.sequence + 1;
  }
}

/** The first at this sequence of the stream or behind it. */
async function letterFrom({ manager }: Session, sequence: number, subject: string): Promise<DeadLetter | undefined> {
  const message = await manager.direct.getMessage(DEAD_STREAM, { seq: sequence, next_by_subj: subject });
  if (!message) return undefined;
  const header = (name: string): string => message.header.get(name);
  const body = message.string();
  const event = eventOf(body);
  return {
    sequence: message.seq,
    consumer: header(CONSUMER),
    reason: header(REASON),
    deliveries: Number(header(DELIVERIES)),
    time: message.time,
    subject: header(SUBJECT),
    body,
    ...(event && { event }),
  };
}

function eventOf(body: string): DeliveredEvent | undefined {
  try {
    return parseCloudEvent(body);
  } catch {
    return undefined;
  }
}
