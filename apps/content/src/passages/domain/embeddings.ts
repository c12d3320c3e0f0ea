/** What some encoders want to read in front of a text, to tell what is asked from what answers it; an empty text: nothing. */
export interface Prefixes {
  readonly question: string;
  readonly passage: string;
}

export const NO_PREFIXES: Prefixes = { question: '', passage: '' };

export interface EmbedOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whose texts they are: organisations take turns. */
  readonly organisationId: string;
  /** Somebody waits for it, as for the answer to a question: it goes before texts that are embedded in the background. */
  readonly urgent?: boolean;
  /** What the texts are, for encoders that tell one from the other. Absent: they are embedded as they stand. */
  readonly as?: keyof Prefixes | undefined;
}

/** Turns texts into vectors that lie close together where the texts mean the same. */
export interface Embeddings {
  /** Names the kind of vectors; those of different models cannot be compared. Kept with each vector. */
  readonly model: string;
  /** From which cosine on a text is about what a question asks, as measured; absent where nobody has measured it. */
  readonly similarityThreshold?: number | undefined;
  /** How much similarity tells beside words, as measured; 1 of an encoder that tells as much as all-MiniLM-L6-v2, and of one that nobody has measured. */
  readonly meaningWeighs?: number | undefined;
  /**
   * A vector of unit length for each text, in their order. Texts longer than the model reads are cut. UNAVAILABLE: too
   * much waits already, or the model is away; UPSTREAM_FAILED: it failed. Either way the same call may succeed later.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
}
