import type { Document } from '../bson/values.ts';
import type { Variables } from './document-stages.ts';

/** Documents that are on their way together. */
export type Batches = AsyncIterable<Document[]>;

/** What stages need of the one who runs them. */
export interface Run {
  readonly variables: Variables;
  /** The documents of a collection that match. */
  read(collection: string, filter: Document, variables: Variables): Batches;
  /** Lets others have their turn now and then, and ends what has taken too long. */
  pause(): Promise<void>;
}

export type Stage = (input: Batches, run: Run) => Batches;
