import type { PassageStore, StoredSource } from '../domain/passage-store.ts';
import type { Passage } from '../domain/passage.ts';
import type { Hit, SearchMode, SearchQuery } from '../domain/search.ts';
import type { Found } from './organisation-index.ts';
import { quoteOf } from './quote.ts';
import { queryTerms } from './words.ts';

/** What was removed a moment ago is still among those found, so that more are asked for than wanted. */
export const SPARE_HITS = 10;

export interface AnsweredQuery {
  readonly found: readonly Found[];
  readonly query: SearchQuery;
  readonly mode: SearchMode;
}

type LookedUp = Awaited<ReturnType<PassageStore['lookUp']>>[number];

const keyOf = (generation: string, ordinal: number): string => `${generation}/${String(ordinal)}`;

/** Of what was found, what the store has at this moment and the member may see. */
export function hitsOf({ found, query, mode }: AnsweredQuery, stored: readonly LookedUp[]): readonly Hit[] {
  const { memberId, limit } = query;
  const terms = mode === 'semantic' ? [] : queryTerms(query.text);
  const byReference = new Map(stored.map((one) => [keyOf(one.source.generation, one.passage.ordinal), one]));
  const hits = found.flatMap(({ generation, ordinal, score, isRelevant }) => {
    const one = byReference.get(keyOf(generation, ordinal));
    // Who may see it is asked of the store once more: the index may be a moment behind.
    return one && maySee(memberId, one.source) ? [hitOf(one.source, one.passage, { terms, score, isRelevant })] : [];
  });
  return hits.slice(0, limit);
}

const maySee = (memberId: string | undefined, { memberIds }: StoredSource): boolean =>
  memberId === undefined || !memberIds || memberIds.includes(memberId);

function hitOf(
  { kind, id, title, createdAt, collection, mediaType }: StoredSource,
  passage: Passage,
  {
    terms,
    score,
    isRelevant,
  }: { readonly terms: readonly string[]; readonly score: number; readonly isRelevant: boolean },
): Hit {
  const { ordinal, text, page, start, end } = passage;
  return {
    ...{ kind, id, title, createdAt, ordinal, text, start, end, score, isRelevant },
    quote: quoteOf(passage, terms),
    ...(collection !== undefined && { collection }),
    ...(mediaType !== undefined && { mediaType }),
    ...(page !== undefined && { page }),
  };
}
