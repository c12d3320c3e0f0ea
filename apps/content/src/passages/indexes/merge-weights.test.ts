import { describe, expect, it } from '@jest/globals';
import { mergeScores } from './merge-scores.ts';

/** Two of so many texts: one has most of the query, the other is as similar as the most similar by chance. */
function first(texts: number): 'words' | 'meaning' {
  const deviation = 0.05;
  const greatestByChance = deviation * Math.sqrt(2 * Math.log(texts));
  const [words, meaning] = mergeScores(
    {
      scores: Float32Array.of(10, 0),
      coverage: Float32Array.of(0.85, 0),
      cosines: Float32Array.of(-deviation, greatestByChance),
      hasVector: Uint8Array.of(1, 1),
    },
    { spread: { mean: 0, deviation, texts } },
  );
  return (words ?? 0) > (meaning ?? 0) ? 'words' : 'meaning';
}

describe('the score of words and meaning', () => {
  it.each([260, 10_000, 1_000_000])(
    'has most words of a query in front of what is similar by chance, among %i texts',
    (texts) => {
      expect(first(texts)).toBe('words');
    },
  );
});
