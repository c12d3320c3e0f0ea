import type { PassageReference } from './passage-store.ts';
import type { ReaderQuery, SearchFilter } from './search.ts';

export interface FindWithin extends SearchFilter, Pick<ReaderQuery, 'memberId' | 'opening'> {
  readonly limit: number;
  /** Of these sources, by their ids, nothing more is wanted. */
  readonly excludedSourceIds?: readonly string[] | undefined;
}

/** Of one model, with its length of vectors. */
export interface QuestionVector {
  readonly model: string;
  readonly vector: Float32Array;
}

export interface SampledPassage extends PassageReference {
  readonly vector: Float32Array;
}

/**
 * A search that the database has of its own, by words and by vectors apart, best first. It is some moments behind what is stored, so
 * that whoever shows what it finds looks it up. UNAVAILABLE: its index is still being built.
 */
export interface PassageFinder {
  byWords(organisationId: string, text: string, within: FindWithin): Promise<readonly PassageReference[]>;
  byVector(organisationId: string, question: QuestionVector, within: FindWithin): Promise<readonly PassageReference[]>;
  /**
   * Some that may be found with their vectors, near to no question in particular: all of them where there are no more than the limit.
   */
  sample(
    organisationId: string,
    of: { readonly model: string; readonly dimensions: number },
    within: FindWithin,
  ): Promise<readonly SampledPassage[]>;
  /** How many passages of these kinds whoever asks may read, and in how many of them each of these words is. */
  countWords(
    organisationId: string,
    words: readonly string[],
    within: Pick<FindWithin, 'kinds' | 'memberId' | 'opening'>,
  ): Promise<{ readonly texts: number; readonly found: readonly number[] }>;
  /** Has the index for words made where there is none. Throws an error that says what to do where the database has no search. */
  prepareWords(): Promise<void>;
  /** Has the index for vectors of this length made where there is none. */
  prepareVectors(dimensions: number): Promise<void>;
}
