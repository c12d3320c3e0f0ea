import { newId } from '@platform-backend/core';
import { sessionOf, type EventBus } from './nats/event-bus.ts';
import { publish, REPLAY_HEADER } from './nats/publish.ts';
import type { EventRange, Outbox } from './outbox.ts';

export interface ReplayRequest extends EventRange {
  outbox: Pick<Outbox, 'history'>;
  bus: EventBus;
}

/**
 * Publishes what the outbox still holds of a range once more, in its order, and returns how many. The message id is a
 * new one, so that the stream takes a repeat inside its duplicate window; the event id is the old one, so that
 * consumers which have handled it do nothing.
 */
export async function replayOutbox({ outbox, bus, ...range }: ReplayRequest): Promise<number> {
  const run = newId();
  const session = await sessionOf(bus);
  let count = 0;
  for await (const messages of outbox.history(range)) {
    await Promise.all(
      messages.map(({ id, type, body }) =>
        publish(session, { subject: type, body, id: `${id}:${run}`, headers: { [REPLAY_HEADER]: run } }),
      ),
    );
    count += messages.length;
  }
  return count;
}
