import type { Opening } from '../../access/domain/opening.ts';
import type { Passage, Source, SourceKind } from './passage.ts';

/** `hybrid` is by words and by meaning, `keyword` and `semantic` by one of the two. */
export type SearchMode = 'hybrid' | 'keyword' | 'semantic';

export interface SearchFilter {
  /** None: all kinds. */
  readonly kinds?: readonly SourceKind[] | undefined;
  /** None: all sources. */
  readonly sourceIds?: readonly string[] | undefined;
  /** Only what is in one of these collections. */
  readonly collections?: readonly string[] | undefined;
  readonly mediaTypes?: readonly string[] | undefined;
  /** Only what has all of them. */
  readonly labels?: readonly string[] | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
}

export interface SearchQuery extends SearchFilter {
  readonly text: string;
  readonly mode: SearchMode;
  readonly limit: number;
  /** Hits of one source, at most; absent: as many as there are. */
  readonly maxPerSource?: number | undefined;
  /** Only what is about the question, see `Hit.isRelevant`. */
  readonly relevantOnly?: boolean | undefined;
  /** How many passages on either side a hit is shown with, 0 to 2; absent: none. */
  readonly contextPassages?: number | undefined;
  /** Whose search it is: of messages that belong to some members alone, only theirs are found. Absent: all may be. */
  readonly memberId?: string | undefined;
}

/** A query of somebody; what it may find of all else is known from for whom the work is done, and no caller says it. */
export interface ReaderQuery extends SearchQuery {
  /** Undefined: everything. */
  readonly opening?: Opening | undefined;
}

/** Where something stands in a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The best part of a passage, cut from it word for word. */
export interface Quote extends Span {
  readonly text: string;
  /** The words of the query, counted from the beginning of the quote. */
  readonly highlights: readonly Span[];
}

/** A passage with those around it, as far as they are there. */
export interface HitContext extends Span {
  readonly text: string;
}

/** A passage and what it is of. */
export interface Hit extends Omit<Source, 'labels' | 'memberIds' | 'readers'>, Passage {
  /** `start` and `end` are those in the text of the source, as are the passage's. */
  readonly quote: Quote;
  /** Where it was asked for. */
  readonly context?: HitContext;
  /** 0 to 1, comparable within one answer alone. */
  readonly score: number;
  /**
   * Whether it is about what was asked, as far as that can be told: it has half of the telling words, or means much the
   * same. The best hit need not be, where nothing is.
   */
  readonly isRelevant: boolean;
}

export interface SearchAnswer {
  /** Best first. */
  readonly hits: readonly Hit[];
  /** How it was searched: without its encoder a hybrid search goes by words. */
  readonly mode: SearchMode;
  /** False where the organisation has more than is searched; the newest is. */
  readonly isComplete: boolean;
}

export interface Search {
  search(
    organisationId: string,
    query: SearchQuery,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<SearchAnswer>;
}
