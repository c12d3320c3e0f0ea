import { describe, expect, it } from '@jest/globals';
import { sameBudgets } from './index-parts.ts';
import { OrganisationIndex, type IndexQuery } from './organisation-index.ts';
import sample from './retrieval-sample.json' with { type: 'json' };
import { searchIndexes } from './search-indexes.ts';

/** Of all-MiniLM-L6-v2, in a byte for each dimension. */
function vectorOf(encoded: string): Float32Array {
  const bytes = Float32Array.from(new Int8Array(Buffer.from(encoded, 'base64')));
  const length = Math.hypot(...bytes);
  return bytes.map((value) => value / length);
}

const index = new OrganisationIndex(sameBudgets(1_000));
for (const { id, text, vector } of sample.passages)
  index.put({ kind: 'DOCUMENT', id, title: '', generation: id, createdAt: 0 }, [
    { ordinal: 0, text, vector: vectorOf(vector) },
  ]);

/** Which part of the questions has its answer among the first, by a way to search. */
function recall(mode: IndexQuery['mode'], among: number, words: string): number {
  const questions = sample.questions.filter((question) => question.words === words);
  const found = questions.filter(({ text, answer, vector }) =>
    searchIndexes([index], { text, mode, vector: vectorOf(vector), limit: among }).some(({ id }) => id === answer),
  );
  return found.length / questions.length;
}

describe('a search by words and meaning', () => {
  for (const words of ['avoids', 'repeats'])
    for (const among of [1, 5])
      it(`finds no less than the better of the two where a question ${words} the words of the text, among ${among}`, () => {
        const better = Math.max(recall('keyword', among, words), recall('semantic', among, words));
        expect(better).toBeGreaterThan(0.5);
        expect(recall('hybrid', among, words)).toBeGreaterThanOrEqual(better);
      });

  it('finds by words what has no vector yet', () => {
    const partly = new OrganisationIndex(sameBudgets(10));
    const source = { kind: 'DOCUMENT', title: '', generation: 'g', createdAt: 0 } as const;
    const vector = Float32Array.of(1, 0);
    partly.put({ ...source, id: 'with' }, [{ ordinal: 0, text: 'bees make honey', vector }]);
    partly.put({ ...source, id: 'without' }, [{ ordinal: 0, text: 'fault E-4417 of the line' }]);
    const found = searchIndexes([partly], { text: 'E-4417', mode: 'hybrid', vector, limit: 1 });
    expect(found.map(({ id }) => id)).toEqual(['without']);
  });
});
