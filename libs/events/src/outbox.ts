/** An event ready to travel: its CloudEvents JSON exactly as it will be published. */
export interface OutboxMessage {
  id: string;
  type: string;
  body: string;
}

/** What became of one batch. */
export interface BatchOutcome {
  published: number;
  /** Taken, but not acknowledged by NATS; they stay in the outbox. */
  failed: number;
  /** Left for the next round, because an earlier event of the same subject is still on its way elsewhere. */
  heldBack: number;
}

/** Where a service keeps events until they are published. PostgreSQL here; other stores bring their own. */
export interface Outbox {
  /**
   * Takes up to `limit` unpublished events that no other relay is working on, hands them to `publish` in order,
   * and marks those as published whose ids it returns.
   */
  publishNext(
    limit: number,
    publish: (messages: readonly OutboxMessage[]) => Promise<ReadonlySet<string>>,
  ): Promise<BatchOutcome>;
  /** Calls `wake` when there may be new events. */
  listen(wake: () => void): { close(): Promise<void> };
  /** Forgets published events older than this many milliseconds; returns how many. */
  prune(olderThanMs: number): Promise<number>;
  /** How far publishing lags behind. */
  backlog(): Promise<{ events: number; oldestAgeMs: number }>;
}
