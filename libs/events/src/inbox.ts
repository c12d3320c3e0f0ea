import type { Fields } from '@platform-backend/core';
import type { DeliveredEvent } from './event.ts';

/** What a service does about an event: work through `transaction` alone, so that it commits or vanishes as a whole. */
export type Effect<Transaction, Data extends Fields = Fields> = (
  transaction: Transaction,
  event: DeliveredEvent<Data>,
) => Promise<void>;

/** The same about several events of one organisation at once: all of it commits, or nothing. */
export interface BatchEffect<Transaction, Data extends Fields = Fields> {
  readonly ofMany: (transaction: Transaction, events: readonly DeliveredEvent<Data>[]) => Promise<void>;
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
  /** The same for events of one organisation, in one transaction: the effect is given those that were not handled yet. */
  onceEach<Data extends Fields>(
    consumer: string,
    events: readonly DeliveredEvent<Data>[],
    effect: BatchEffect<Transaction, Data>,
  ): Promise<void>;
  /**
   * Forgets what was handled longer ago than this many milliseconds, a part of it at a time; returns how many. Must be
   * longer than an event can still come again: outbox retention (replay) plus the stream's age.
   */
  prune(olderThanMs: number): Promise<number>;
}
