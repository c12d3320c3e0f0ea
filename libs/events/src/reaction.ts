import type { Database } from '@platform/postgres';
import { startConsumer, type Consumer, type ConsumerOptions } from './consumer.ts';
import type { EventData } from './event.ts';
import { oncePerEvent, type Effect } from './inbox.ts';

export interface ReactionOptions<Data extends EventData = EventData> extends Omit<ConsumerOptions<Data>, 'react'> {
  database: Database;
  /** Happens once per event, in one transaction of the event's organisation. */
  effect: Effect<Data>;
}

/** A durable consumer whose effect is in this service's database: inbox row and effect commit together. */
export const startReaction = <Data extends EventData>({ database, effect, ...rest }: ReactionOptions<Data>): Consumer =>
  startConsumer<Data>({ ...rest, react: oncePerEvent(database, rest.name, effect) });
