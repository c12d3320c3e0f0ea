import { parseCloudEvent } from './cloud-event.ts';
import type { DeliveredEvent } from './event.ts';
import type { Delivery } from './nats/durable-consumer.ts';
import type { Session } from './nats/event-bus.ts';
import { publish } from './nats/publish.ts';
import { lastSequence, readStream } from './nats/read-stream.ts';
import { DEAD_STREAM } from './nats/streams.ts';

/** A delivery that one consumer gave up. */
export interface DeadLetter {
  /** Its place in the dead-letter stream. */
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

export interface Burial {
  consumer: string;
  reason: string;
}

/** Stores the delivery aside; only after that may it be dropped from its consumer. */
export async function bury(session: Session, delivery: Delivery, { consumer, reason }: Burial): Promise<void> {
  await publish(session, {
    subject: `platform.dead.${consumer}`,
    body: delivery.string(),
    // A second attempt to bury the same delivery is recognised; a replayed event that dies again is not the same.
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

/** All dead letters at this moment, oldest first; of one consumer if given. */
export async function* deadLetters(session: Session, consumer?: string): AsyncGenerator<DeadLetter> {
  const end = await lastSequence(session, DEAD_STREAM);
  const subject = `platform.dead.${consumer ?? '>'}`;
  const { subjects } = (await session.manager.streams.info(DEAD_STREAM, { subjects_filter: subject })).state;
  // The reading below waits for the first message, so it must be known that there is one.
  if (Object.keys(subjects ?? {}).length === 0) return;
  const reading = new AbortController();
  for await (const message of readStream(session, { stream: DEAD_STREAM, subject, from: 1, signal: reading.signal })) {
    if (message.seq > end) return;
    yield letterOf(message);
    if (message.info.pending === 0) return;
  }
}

function letterOf(message: Delivery): DeadLetter {
  const header = (name: string): string => message.headers?.get(name) ?? '';
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
