import { AckPolicy, DeliverPolicy, type Consumer, type JsMsg } from '@nats-io/jetstream';
import type { Session } from './event-bus.ts';
import { EVENT_STREAM } from './streams.ts';

/** One message on its way to us, to be answered with ack, nak or term. */
export type Delivery = JsMsg;

export type ConsumerHandle = Consumer;

export interface DurableConsumer {
  name: string;
  subject: string;
  /** Where a consumer starts that has never run before. */
  from: 'beginning' | 'now';
  /** The server delivers again when it hears nothing for so long. */
  ackWaitMs: number;
}

/**
 * Creates the durable consumer or finds it as it is. The server counts deliveries but sets no limit: a message
 * that reached one would be dropped in silence if the process died before it stored it aside.
 */
export async function durableConsumer(session: Session, wanted: DurableConsumer): Promise<ConsumerHandle> {
  await session.manager.consumers.add(EVENT_STREAM, {
    durable_name: wanted.name,
    filter_subject: wanted.subject,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: wanted.from === 'now' ? DeliverPolicy.New : DeliverPolicy.All,
    ack_wait: wanted.ackWaitMs * 1_000_000,
    max_deliver: -1,
    // Includes those that wait for their next attempt, so it is far above what is handled at once.
    max_ack_pending: 10_000,
  });
  return session.client.consumers.get(EVENT_STREAM, wanted.name);
}

/** Waits for one message; undefined when none came for a while or the signal was aborted. */
export async function takeOne(
  consumer: ConsumerHandle,
  signal: AbortSignal,
  askMs = 30_000,
): Promise<Delivery | undefined> {
  const messages = await consumer.fetch({ max_messages: 1, expires: askMs });
  const stop = (): void => void messages.close();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    for await (const message of messages) return message;
    return undefined;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Tells the server again and again that the delivery is being worked on, until the returned function is called. */
export function keepAlive(session: Session, delivery: Delivery, everyMs: number): () => void {
  const timer = setInterval(() => {
    if (!session.connection.isClosed() && !session.connection.isDraining()) delivery.working();
  }, everyMs);
  return () => clearInterval(timer);
}
