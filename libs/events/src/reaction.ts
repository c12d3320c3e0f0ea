import type { Logger } from '@platform/core';
import type { Database } from '@platform/postgres';
import { startConsumer, type Consumer, type ConsumerOptions } from './consumer.ts';
import type { EventData } from './event.ts';
import { oncePerEvent, pruneInbox, type Effect } from './inbox.ts';
import { pause } from './pause.ts';

export interface ReactionOptions<Data extends EventData = EventData> extends Omit<ConsumerOptions<Data>, 'react'> {
  database: Database;
  /** Happens once per event, in one transaction of the event's organisation. */
  effect: Effect<Data>;
}

/** A durable consumer whose effect is in this service's database: inbox row and effect commit together. */
export function startReaction<Data extends EventData>({ database, effect, ...rest }: ReactionOptions<Data>): Consumer {
  const stopping = new AbortController();
  const consumer = startConsumer<Data>({ ...rest, react: oncePerEvent(database, rest.name, effect) });
  const pruning = keepInboxSmall(database, rest.logger, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await Promise.all([consumer.stop(), pruning]);
    },
  };
}

const HOUR_MS = 3_600_000;
/** Longer than a dead letter is kept (30 days) and than outbox and stream together: nothing comes back later. */
const INBOX_RETENTION_MS = 40 * 24 * HOUR_MS;

async function keepInboxSmall(database: Database, logger: Logger, signal: AbortSignal): Promise<void> {
  for (;;) {
    // Not all replicas and reactions in the same moment.
    await pause(HOUR_MS * (0.5 + Math.random() / 2), signal);
    if (signal.aborted) return;
    try {
      while ((await pruneInbox(database, INBOX_RETENTION_MS)) > 0);
    } catch (error) {
      logger.warn({ err: error }, 'the inbox could not be pruned');
    }
  }
}
