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

/** One of so many texts has half of the query and the best words, the other is about as similar as one is by chance and has none. */
function firstOfHalf(texts: number): 'words' | 'meaning' {
  const [words = 0, meaning = 0] = mergeScores(
    {
      scores: Float32Array.of(10, 0),
      coverage: Float32Array.of(0.5, 0),
      cosines: Float32Array.of(2.2, 3.4),
      hasVector: Uint8Array.of(1, 1),
    },
    { spread: { mean: 0, deviation: 1, texts } },
  );
  return words > meaning ? 'words' : 'meaning';
}

describe('the score of words and meaning', () => {
  it.each([260, 10_000, 1_000_000])(
    'has most words of a query in front of what is similar by chance, among %i texts',
    (texts) => {
      expect(first(texts)).toBe('words');
    },
  );

  it('has the best words in front of what is somewhat similar among many texts, and behind it among few', () => {
    expect([260, 2_000, 20_000, 100_000].map(firstOfHalf)).toEqual(['meaning', 'meaning', 'words', 'words']);
  });
});
