import { quietly, type Fields, type Logger } from '@platform-backend/core';
import { startConsumer, type Consumer, type ConsumerOptions } from './consumer.ts';
import { inBatches } from './in-batches.ts';
import type { Effect, Inbox, RepeatableEffect } from './inbox.ts';
import { pause } from './pause.ts';

export interface ReactionOptions<Transaction, Data extends Fields = Fields> extends Omit<
  ConsumerOptions<Data>,
  'react'
> {
  inbox: Inbox<Transaction>;
  /** Happens once per event, in one transaction of the event's organisation; or may be repeated. */
  effect: Effect<Transaction, Data> | RepeatableEffect<Data>;
}

/** A durable consumer whose effect is in this service's storage: what was handled and the effect commit together. */
export function startReaction<Transaction, Data extends Fields>({
  inbox,
  effect,
  ...consumer
}: ReactionOptions<Transaction, Data>): Consumer {
  const stopping = new AbortController();
  const { name } = consumer;
  const consuming =
    'ofAll' in effect
      ? startConsumer<Data>({
          // So that the next batch gathers while one is being handled.
          maxInFlight: 2 * MAX_BATCH,
          ...consumer,
          react: inBatches({ handle: (events) => effect.ofAll(events), maxSize: MAX_BATCH }),
        })
      : startConsumer<Data>({ ...consumer, react: (event) => inbox.once(name, event, effect) });
  const pruning = quietly(() => keepInboxSmall(inbox, consumer.logger, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all([consuming.stop(), pruning]);
    },
  };
}

/** Events that are handled together at the most; a transaction of so many is still short. */
const MAX_BATCH = 64;

const HOUR_MS = 3_600_000;
/** Longer than a dead letter is kept (30 days) and than outbox and stream together: nothing comes back later. */
const INBOX_RETENTION_MS = 40 * 24 * HOUR_MS;

async function keepInboxSmall(inbox: Pick<Inbox<never>, 'prune'>, logger: Logger, signal: AbortSignal): Promise<void> {
  for (;;) {
    // Not all replicas and reactions in the same moment.
    await pause(HOUR_MS * (0.5 + Math.random() / 2), signal);
    if (signal.aborted) return;
    try {
      while ((await inbox.prune(INBOX_RETENTION_MS)) > 0);
    } catch (error) {
      logger.warn({ event: 'inbox.pruning_failed', err: error }, 'the inbox could not be pruned');
    }
  }
}
