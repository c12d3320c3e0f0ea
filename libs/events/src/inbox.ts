import type { Fields } from '@platform-backend/core';
import type { DeliveredEvent } from './event.ts';

/** What a service does about an event: work through `transaction` alone, so that it commits or vanishes as a whole. */
export type Effect<Transaction, Data extends Fields = Fields> = (
  transaction: Transaction,
  event: DeliveredEvent<Data>,
) => Promise<void>;

/**
 * What a service does about several events at once, of any organisations, in transactions of its own. Repeating it is safe by
 * itself, so that nothing else remembers what was handled.
 */
export interface RepeatableEffect<Data extends Fields = Fields> {
  readonly ofAll: (events: readonly DeliveredEvent<Data>[]) => Promise<void>;
}

/** Remembers which events a consumer has handled, in the storage that its effects are in. */
export interface Inbox<Transaction> {
  /**
   * Makes an effect happen once per consumer and event, however often the event arrives: the note of it and the effect
   * commit together, in a transaction of the event's organisation. Another delivery at the same time waits or fails.
   */
  once<Data extends Fields>(
    consumer: string,
    event: DeliveredEvent<Data>,
    effect: Effect<Transaction, Data>,
  ): Promise<void>;
  /**
   * Forgets what was handled longer ago than this many milliseconds, a part of it at a time; returns how many. Must be
   * longer than an event can still come again: outbox retention (replay) plus the stream's age.
   */
  prune(olderThanMs: number): Promise<number>;
}
