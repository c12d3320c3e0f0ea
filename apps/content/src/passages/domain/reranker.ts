export interface RerankOptions {
  /** Whose question it is: organisations take turns. */
  readonly organisationId: string;
  readonly signal: AbortSignal;
}

/** Reads a question together with each text, which tells more than comparing vectors does, and takes longer. */
export interface Reranker {
  readonly model: string;
  /** From which score on a text is about what a question asks. */
  readonly relevantFrom: number;
  /**
   * How well each text answers the question, from 0 to 1, in their order. Longer texts than the model reads are cut. UNAVAILABLE: too much
   * waits already, the model is away, or the signal is aborted; UPSTREAM_FAILED: it failed.
   */
  rerank(question: string, texts: readonly string[], options: RerankOptions): Promise<readonly number[]>;
}
