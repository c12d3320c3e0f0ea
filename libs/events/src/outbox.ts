/** An event ready to travel: its CloudEvents JSON exactly as it will be published. */
export interface OutboxMessage {
  id: string;
  type: string;
  body: string;
}

/** What became of the events of a batch. Those in neither are tried again. */
export interface Publishing {
  /** Ids. */
  published: ReadonlySet<string>;
  /** Why an event can never be published, by its id. */
  hopeless: ReadonlyMap<string, string>;
}

/** What became of one batch. */
export interface BatchOutcome {
  published: number;
  /** Hopeless: they are kept elsewhere and hold back nothing. */
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

/** Where a service keeps events until they are published. PostgreSQL here; other stores bring their own. */
export interface Outbox {
  /**
   * Takes up to `limit` unpublished events that no other relay is working on, hands them to `publish` in order,
   * and notes what became of them.
   */
  publishNext(
    limit: number,
    publish: (messages: readonly OutboxMessage[]) => Promise<Publishing>,
  ): Promise<BatchOutcome>;
  /** Calls `wake` when there may be new events. */
  listen(wake: () => void): { close(): Promise<void> };
  /** Forgets published events older than this many milliseconds; returns how many. */
  prune(olderThanMs: number): Promise<number>;
  /** How far publishing lags behind, and how many events were set aside. */
  backlog(): Promise<Backlog>;
}
