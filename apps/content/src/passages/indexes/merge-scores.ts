/** What words and meaning say of each that may be found. */
export interface Scores {
  readonly scores: Float32Array;
  /** The part of the query that it covers. */
  readonly coverage: Float32Array;
  /** Of those without a vector 0. */
  readonly cosines: Float32Array;
  readonly hasVector: Uint8Array;
}

/** Below this part of what a query says, words that a text shares with it may be there by chance. */
const CERTAIN_FROM = 0.6;
/** What all words of a query weigh among `MEASURED_AMONG` texts, in standard deviations of the similarities. */
const WORDS_WEIGH = 4;
const MEASURED_AMONG = 260;
/** Of a part below this one nobody knows whether it is more than chance. */
const CHANCE = 0.1;
/** What those words weigh of which it is known, in parts of the greatest similarity. */
const WORDS_TELL = 0.25;
/** The same of any words among `MANY` texts, in which more and more are similar by chance while rare words are as telling as ever. */
const WORDS_TELL_AMONG_MANY = 0.35;
const MANY = 100_000;
/** How much of the gap to the most similar text the words close that a text shares with the query. */
const WORDS_CLOSE = 0.4;

/**
 * One score from words and meaning for each that may be found, such that neither side can spoil what the other is sure of.
 * Similarities are measured against all others of the query, since what is a high one depends on the encoder. Words
 * count by the part of the query that a text covers, rare ones more: a text with nearly all of them is what was meant, one
 * with a few of them moves up among those that mean much the same. Ranks alone, as in reciprocal rank fusion, would let a
 * best match of words that are there by chance stand beside the best match of meaning.
 *
 * `spread` is that of all that is searched, where the candidates are only the best of it.
 */
export function mergeScores(
  { scores, coverage, cosines, hasVector }: Scores,
  {
    spread,
    meaningWeighs = 1,
  }: { readonly spread?: Spread | undefined; readonly meaningWeighs?: number | undefined } = {},
): Float64Array {
  const { mean, deviation, texts } = spread ?? spreadOf(cosines.filter((_, at) => hasVector[at]));
  const wordsWeigh = WORDS_WEIGH * greatestGrowth(texts);
  const tellAnyway = WORDS_TELL_AMONG_MANY * partOfMany(texts);
  // A text without a vector is found by its words alone.
  const surprises = Float64Array.from(cosines, (cosine, at) =>
    hasVector[at] ? (meaningWeighs * (cosine - mean)) / deviation : 0,
  );
  let [maxSurprise, bestScore] = [0, 0];
  for (const surprise of surprises) maxSurprise = Math.max(maxSurprise, surprise);
  for (const score of scores) bestScore = Math.max(bestScore, score);
  return surprises.map((surprise, at) => {
    const covered = coverage[at] ?? 0;
    if (covered === 0) return surprise;
    const certainty = Math.max(0, (covered - CERTAIN_FROM) / (1 - CERTAIN_FROM));
    const telling = Math.max(0, (covered - CHANCE) / (1 - CHANCE));
    const weight =
      wordsWeigh * certainty + ((WORDS_TELL * maxSurprise) / meaningWeighs) * telling + tellAnyway * maxSurprise;
    return surprise + WORDS_CLOSE * covered * (maxSurprise - surprise) + weight * ((scores[at] ?? 0) / bestScore);
  });
}

/** How similar texts are to a question that are not about it. */
export interface Spread {
  readonly mean: number;
  readonly deviation: number;
  /** How many there are. */
  readonly texts: number;
}

/**
 * By how much the greatest of similarities that mean nothing is further out than where the weights were measured, in deviations: of n
 * values that lie about their mean by chance it is expected at √(2 ln n).
 */
const greatestGrowth = (texts: number): number =>
  Math.sqrt(Math.log(Math.max(texts, MEASURED_AMONG)) / Math.log(MEASURED_AMONG));

/** 0 among as many as the weights were measured with, 1 among `MANY`, and as much more for each ten times as many. */
const partOfMany = (texts: number): number =>
  Math.max(0, Math.log(Math.max(texts, 1) / MEASURED_AMONG) / Math.log(MANY / MEASURED_AMONG));

/** `sampled` stands for as many others as are missing to `texts`. */
export function spreadOf(cosines: Float32Array, sampled: Float32Array = new Float32Array(), texts = 0): Spread {
  const weight = Math.max(sampled.length, texts - cosines.length) / Math.max(1, sampled.length);
  let [sum, squares] = [0, 0];
  for (const [part, times] of [
    [cosines, 1],
    [sampled, weight],
  ] as const)
    for (const cosine of part) {
      sum += times * cosine;
      squares += times * cosine * cosine;
    }
  const count = Math.max(1, cosines.length + weight * sampled.length);
  const mean = sum / count;
  return { mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)) || 1, texts: count };
}
