import type { KeywordScores } from './keyword-index.ts';

/** Below this part of what a query says, words that a text shares with it may be there by chance. */
const CERTAIN_FROM = 0.6;
/** What all words of a query weigh, in standard deviations of the similarities. */
const WORDS_WEIGH = 6;
/** How much of the gap to the most similar text the words close that a text shares with the query. */
const WORDS_CLOSE = 0.4;

export interface Similarities {
  /** Cosines, by slot. */
  readonly cosines: Float32Array;
  /** Whether the slot has a vector that can be compared. */
  readonly has: (slot: number) => boolean;
}

/**
 * One score from words and meaning for each slot that may be found, such that neither side can spoil what the other is sure of.
 * Similarities are measured against all others of the query, since what is a high one depends on the encoder. Words
 * count by the part of the query that a text covers, rare ones more: a text with nearly all of them is what was meant, one
 * with a few of them only moves up among those that mean much the same. Ranks alone, as in reciprocal rank fusion, would let a
 * best match of words that are there by chance stand beside the best match of meaning.
 */
export function mergeScores(
  candidates: readonly number[],
  { scores, coverage }: Pick<KeywordScores, 'scores' | 'coverage'>,
  { cosines, has }: Similarities,
): Float64Array {
  const { mean, deviation } = spreadOf(candidates, { cosines, has });
  // A text without a vector is found by its words alone.
  const surprises = Float64Array.from(candidates, (slot) =>
    has(slot) ? ((cosines[slot] ?? 0) - mean) / deviation : 0,
  );
  let [maxSurprise, bestScore] = [0, 0];
  for (const surprise of surprises) maxSurprise = Math.max(maxSurprise, surprise);
  for (const slot of candidates) bestScore = Math.max(bestScore, scores[slot] ?? 0);
  return Float64Array.from(candidates, (slot, at) => {
    const surprise = surprises[at] ?? 0;
    const covered = coverage[slot] ?? 0;
    if (covered === 0) return surprise;
    const certainty = Math.max(0, (covered - CERTAIN_FROM) / (1 - CERTAIN_FROM));
    const byWords = WORDS_WEIGH * certainty * ((scores[slot] ?? 0) / bestScore);
    return surprise + WORDS_CLOSE * covered * (maxSurprise - surprise) + byWords;
  });
}

function spreadOf(
  candidates: readonly number[],
  { cosines, has }: Similarities,
): { readonly mean: number; readonly deviation: number } {
  let [count, sum, squares] = [0, 0, 0];
  for (const slot of candidates) {
    if (!has(slot)) continue;
    const cosine = cosines[slot] ?? 0;
    count += 1;
    sum += cosine;
    squares += cosine * cosine;
  }
  const mean = sum / Math.max(1, count);
  return { mean, deviation: Math.sqrt(Math.max(0, squares / Math.max(1, count) - mean * mean)) || 1 };
}
