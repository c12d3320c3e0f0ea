import { JetStreamApiError } from '@nats-io/jetstream';
import type { Session } from './nats/event-bus.ts';
import { DEAD_STREAM, deadSubject, EVENT_STREAM } from './nats/streams.ts';

/** How far a consumer lags behind. */
export interface ConsumerLag {
  /** Events that it has not finished: not begun, in hand, or waiting for their next attempt. */
  events: number;
  /** Deliveries that it gave up and nobody has looked at. */
  deadLetters: number;
}

/** Of a durable consumer; one that has never run has the whole stream of its events before it, and no lag here. */
export async function consumerLag({ manager }: Session, name: string): Promise<ConsumerLag> {
  const [events, { state }] = await Promise.all([
    unfinished(manager, name),
    manager.streams.info(DEAD_STREAM, { subjects_filter: deadSubject(name) }),
  ]);
  return { events, deadLetters: state.subjects?.[deadSubject(name)] ?? 0 };
}

async function unfinished(manager: Session['manager'], name: string): Promise<number> {
  try {
    const { num_pending, num_ack_pending } = await manager.consumers.info(EVENT_STREAM, name);
    return num_pending + num_ack_pending;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === CONSUMER_NOT_FOUND) return 0;
    throw error;
  }
}

const CONSUMER_NOT_FOUND = 10_014;
