import type { Fields, Logger } from '@platform-backend/core';
import { parseCloudEvent } from './cloud-event.ts';
import type { DeliveredEvent } from './event.ts';
import type { EventBus, Session } from './nats/event-bus.ts';
import { lastSequence, readStream } from './nats/read-stream.ts';
import { EVENT_STREAM } from './nats/streams.ts';
import { backoffMs, pause } from './pause.ts';

export interface SubscriptionOptions<Data extends Fields = Fields> {
  bus: EventBus;
  logger: Logger;
  /** An event type, or a pattern with `*` for one word: `platform.v1.identity.api_key.*`. */
  on: string;
  /** Called for each event in stream order. Must not fail: a failure is logged and the event is gone. */
  onEvent: (event: DeliveredEvent<Data>) => void;
  /** Called when events flow, at first and after each interruption. None since the first call is missing. */
  onConnected?: () => void;
  /** Called at once when events may be delayed: from here on what is known may be out of date. */
  onDisconnected?: () => void;
}

export interface Subscription {
  close(): Promise<void>;
}

/**
 * Shows every event from now on to this one process, for caches that must forget in time. Nothing is remembered at
 * the server when the process ends; an interruption in between is made up for. A silent connection counts as
 * disconnected after about two seconds.
 */
export function subscribe({
  bus,
  logger,
  on,
  onEvent,
  onConnected,
  onDisconnected,
}: SubscriptionOptions): Subscription {
  const closing = new AbortController();
  /** The last sequence seen or skipped; unknown until the first connection decides what "now" is. */
  let position: number | undefined;
  let connected = false;
  const done = follow();

  async function follow(): Promise<void> {
    let failures = 0;
    while (!closing.signal.aborted) {
      const session = await bus.ready(closing.signal);
      if (!session) break;
      try {
        await read(session, () => {
          failures = 0;
        });
      } catch (error) {
        failures += 1;
        if (failures === 1)
          logger.warn(
            { event: 'subscription.interrupted', err: error, on },
            'the subscription was interrupted, resuming',
          );
      }
      setConnected(false);
      // At once the first time: every moment without events is one in which a cache may be wrong.
      if (failures > 1) await pause(backoffMs(failures, 50, 2_000), closing.signal);
    }
  }

  async function read(session: Session, reading: () => void): Promise<void> {
    const last = await lastSequence(session, EVENT_STREAM);
    // A stream that lost its end, or was made anew, counts from lower numbers again.
    position = Math.min(position ?? last, last);
    const messages = readStream(session, {
      stream: EVENT_STREAM,
      subject: on,
      from: position + 1,
      signal: closing.signal,
      onLive() {
        reading();
        setConnected(true);
      },
    });
    for await (const message of messages) {
      show(message.string());
      position = message.seq;
    }
  }

  function show(body: string): void {
    try {
      onEvent(parseCloudEvent(body));
    } catch (error) {
      logger.error({ event: 'subscription.failed', err: error, on }, 'a subscriber failed on an event');
    }
  }

  function setConnected(now: boolean): void {
    if (connected === now) return;
    connected = now;
    if (now) onConnected?.();
    else onDisconnected?.();
  }

  return {
    async close() {
      closing.abort();
      await done;
    },
  };
}
