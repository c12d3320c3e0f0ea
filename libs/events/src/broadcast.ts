import { newId, type Logger } from '@platform-backend/core';
import type { EventBus, Session } from './nats/event-bus.ts';
import { broadcastSubject } from './nats/streams.ts';

export interface BroadcastOptions {
  readonly bus: EventBus;
  readonly logger: Logger;
  /** Whose processes they are, and what they talk about; both stand in its `EventAccess`. */
  readonly service: string;
  readonly topic: string;
  /** Called for what each other process has sent. Must not fail: a failure is logged and the message is gone. */
  readonly onMessage: (message: unknown) => void;
}

/** What the processes of one service tell each other while they are there. */
export interface Broadcast {
  /** Sends it, as JSON, to all others that are connected now, and to none later. False while NATS is away: then nobody gets it. */
  send(message: unknown): boolean;
  close(): Promise<void>;
}

/**
 * Joins the processes of a service that talk about a topic. What is sent is kept nowhere and arrives once at most: for figures that are
 * right without it in the end, such as counts of requests.
 */
export function openBroadcast({ bus, logger, service, topic, onMessage }: BroadcastOptions): Broadcast {
  const closing = new AbortController();
  const own = broadcastSubject(service, topic, newId());
  let session: Session | undefined;
  const done = listen();

  async function listen(): Promise<void> {
    while (!closing.signal.aborted) {
      const found = await bus.ready(closing.signal);
      if (!found) return;
      await listenDuring(found);
    }
  }

  /** Returns when the session or the broadcast is over. */
  async function listenDuring(current: Session): Promise<void> {
    const over = AbortSignal.any([current.lost, closing.signal]);
    const subscription = current.connection.subscribe(broadcastSubject(service, topic), {
      callback: (error, message) => {
        if (error) logger.warn({ event: 'broadcast.refused', err: error, topic }, 'a broadcast cannot be heard');
        else if (message.subject !== own) show(message.string());
      },
    });
    session = current;
    if (!over.aborted)
      await new Promise<void>((resolve) => over.addEventListener('abort', () => resolve(), { once: true }));
    session = undefined;
    if (!current.connection.isClosed()) subscription.unsubscribe();
  }

  function show(body: string): void {
    try {
      onMessage(JSON.parse(body));
    } catch (error) {
      logger.error({ event: 'broadcast.failed', err: error, topic }, 'a message of another process was not understood');
    }
  }

  return {
    send(message) {
      if (!session) return false;
      session.connection.publish(own, JSON.stringify(message));
      return true;
    },
    async close() {
      closing.abort();
      await done;
    },
  };
}
