import type { PassageReference, PassageStore, StoredSource } from '../domain/passage-store.ts';
import type { Passage } from '../domain/passage.ts';
import type { Hit, HitContext, SearchMode, SearchQuery } from '../domain/search.ts';
import type { QueryTerm } from './keyword-index.ts';
import type { Found } from './organisation-index.ts';
import { quoteOf } from './quote.ts';
import { queryTerms } from './words.ts';

/** What was removed a moment ago is still among those found, so that more are asked for than wanted. */
export const SPARE_HITS = 10;

/** Which passages an answer shows: those that were found, and those around them that were asked for. */
export const shownReferences = (
  found: readonly PassageReference[],
  contextPassages = 0,
): readonly PassageReference[] => {
  const shown = found.flatMap(({ generation, ordinal }) =>
    around(ordinal, contextPassages).map((one) => ({ generation, ordinal: one })),
  );
  return [...new Map(shown.map((one) => [keyOf(one.generation, one.ordinal), one])).values()];
};

const around = (ordinal: number, passages: number): readonly number[] =>
  Array.from({ length: 2 * passages + 1 }, (_, at) => ordinal - passages + at).filter((one) => one >= 0);

export interface AnsweredQuery {
  readonly found: readonly Found[];
  readonly query: SearchQuery;
  readonly mode: SearchMode;
}

type LookedUp = Awaited<ReturnType<PassageStore['lookUp']>>[number];

const keyOf = (generation: string, ordinal: number): string => `${generation}/${String(ordinal)}`;

/** Of what was found, what the store has at this moment for whoever asks, and of messages what the member may see. */
export function hitsOf({ found, query, mode }: AnsweredQuery, stored: readonly LookedUp[]): readonly Hit[] {
  const { memberId, limit, contextPassages = 0 } = query;
  const terms = mode === 'semantic' ? [] : queryTerms(query.text);
  const byReference = new Map(stored.map((one) => [keyOf(one.source.generation, one.passage.ordinal), one]));
  const hits = found.flatMap(({ generation, ordinal, score, isRelevant }) => {
    const one = byReference.get(keyOf(generation, ordinal));
    // Who may see it is asked of the store once more: the index may be a moment behind.
    if (!one || !maySee(memberId, one.source)) return [];
    const hit = hitOf(one.source, one.passage, { terms, score, isRelevant });
    if (contextPassages === 0) return [hit];
    const shown = around(ordinal, contextPassages).flatMap(
      (other) => byReference.get(keyOf(generation, other))?.passage ?? [],
    );
    return [{ ...hit, context: contextOf(shown) }];
  });
  return hits.slice(0, limit);
}

/** Passages that follow each other, as one text: what one repeats of the one before stands there once. */
export function contextOf(passages: readonly Passage[]): HitContext {
  let text = '';
  let end = passages[0]?.start ?? 0;
  const start = end;
  for (const passage of passages) {
    // Between two that do not overlap the source has nothing but space.
    const gap = text !== '' && passage.start > end ? (passage.start - end > 1 ? '\n\n' : ' ') : '';
    text += gap + passage.text.slice(Math.max(0, end - passage.start));
    end = Math.max(end, passage.end);
  }
  return { text, start, end };
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
  }: { readonly terms: readonly QueryTerm[]; readonly score: number; readonly isRelevant: boolean },
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
