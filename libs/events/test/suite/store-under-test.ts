import type { Effect, Event, Inbox, Outbox } from '../../src/index.ts';

/**
 * What a storage brings to be tried by `eventStoreSuite`: a fresh, empty database of its own for each call of `open`,
 * with whatever a service's migrations make. Nothing here says how events are stored.
 */
export interface EventStorage<Transaction> {
  /** As it is called in the names of the tests: `PostgreSQL`. */
  readonly name: string;
  /** Opens a new, empty database. */
  open(): Promise<StoreUnderTest<Transaction>>;
}

export interface StoreUnderTest<Transaction> {
  readonly outbox: Outbox;
  readonly inbox: Inbox<Transaction>;
  /**
   * Appends the events as a service of that storage does: in one transaction of this organisation that changes
   * something as well. With a `failure` the transaction appends them first, throws it then and so is undone; the
   * promise rejects with it. Events have no id unless they say one. Rejects when an event is refused.
   */
  commit(organisationId: string, events: readonly Event[], failure?: Error): Promise<void>;
  /** Notes in its transaction that it ran for this event; an effect that happened twice is noted twice. */
  readonly recordEffect: Effect<Transaction>;
  /** The ids of the events for which `recordEffect` ran in this organisation and was committed, each as often as it ran. */
  effects(organisationId: string): Promise<string[]>;
  /**
   * A program that Node runs with these arguments, to be killed: it calls `relayUntilKilled` of
   * `@platform-backend/events/testing/relay-process` with this same database.
   */
  readonly relayProcess: { readonly script: URL; readonly arguments: readonly string[] };
  /** Disconnects and removes the database. */
  close(): Promise<void>;
}
