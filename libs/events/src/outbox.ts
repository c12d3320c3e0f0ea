/** An event ready to travel: its CloudEvents JSON exactly as it will be published. */
export interface OutboxMessage {
  id: string;
  type: string;
  body: string;
  /** Of the envelope, beside it: an event may be large, and is not read for a line of the log. */
  organisationId: string;
  requestId?: string | null | undefined;
}

/** What became of the events of a batch. Those in neither are tried again. */
export interface Publishing {
  /** Ids. */
  published: ReadonlySet<string>;
  /** Why an event can never be published, by its id. */
  permanentFailures: ReadonlyMap<string, string>;
}

/** What became of one batch. */
export interface BatchOutcome {
  published: number;
  /** Permanent failures: they are kept elsewhere and hold back nothing. */
  setAside: number;
  /** Taken, but not acknowledged by NATS; they stay in the outbox. */
  failed: number;
  /** Left for the next round: an earlier event of the same subject is still on its way elsewhere, or there were too many bytes. */
  heldBack: number;
}

export interface Backlog {
  events: number;
  oldestAgeMs: number;
  setAside: number;
}

/** An event that could never be published, kept whole until somebody has removed the reason. */
export interface EventSetAside {
  id: string;
  organisationId: string;
  type: string;
  subject: string;
  reason: string;
  /** Of its JSON. */
  bytes: number;
  /** When it was appended to the outbox. */
  createdAt: Date;
  setAsideAt: Date;
}

/** Some of the events that an outbox still holds, published or not. */
export interface EventRange {
  /** Events appended from this moment on ... */
  from: Date;
  /** ... and before this one. */
  to: Date;
  /** Only these types; all unless given. */
  types?: readonly string[] | undefined;
  /** Only those of this organisation; all unless given. */
  organisationId?: string | undefined;
}

/**
 * Where a service keeps events until they are published, in the storage that its changes are in: a library of that
 * storage has it, with the way to append. `@platform-backend/events/testing` has the tests that each of them must pass.
 */
export interface Outbox {
  /**
   * Takes up to `limit` unpublished events that no other relay is working on, hands them to `publish` in the order in
   * which they were appended, and notes what became of them; permanent failures are set aside. An event is held back while
   * an earlier one of its subject is with another relay. Should the process die, its batch is free for others again.
   */
  publishNext(
    limit: number,
    publish: (messages: readonly OutboxMessage[]) => Promise<Publishing>,
  ): Promise<BatchOutcome>;
  /** Calls `wake` when there may be new events. */
  listen(wake: () => void): { close(): Promise<void> };
  /** Forgets published events older than this many milliseconds, a part of them at a time; returns how many. */
  prune(olderThanMs: number): Promise<number>;
  /** How far publishing lags behind, and how many events were set aside. */
  backlog(): Promise<Backlog>;
  /** What it still holds of a range, in the order in which it was appended, a part at a time. */
  history(range: EventRange): AsyncIterable<readonly OutboxMessage[]>;
  /**
   * Has what was published before this moment wait again, for the relay to publish it once more; returns how many. For a stream that is
   * newer than the events.
   */
  republish(publishedBefore: Date): Promise<number>;
  /** The oldest of those set aside, in the order in which they were appended. */
  listSetAside(limit?: number): Promise<EventSetAside[]>;
  /**
   * Puts events that were set aside back at the end of the outbox, for the relay to try them once more: those with
   * these ids, or all. Returns how many. Later events of their subjects may have been published in the meantime.
   */
  retrySetAside(ids?: readonly string[]): Promise<number>;
}
