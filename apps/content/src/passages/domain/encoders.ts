import type { Embeddings } from './embeddings.ts';

/** The encoder of the configuration, and that by which an organisation's questions are answered while the other's index is filled. */
export interface Encoders {
  readonly current: Embeddings;
  /**
   * That whose vectors an organisation has. After a change of the model it is the one before, as long as that can be had, until all
   * texts have vectors of the current one.
   */
  answering(organisationId: string): Promise<Embeddings>;
  /** The encoder of this name, where it can be had. */
  of(model: string): Embeddings | undefined;
}
