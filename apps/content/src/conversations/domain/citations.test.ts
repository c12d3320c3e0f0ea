import { describe, expect, it } from '@jest/globals';
import type { Hit } from '../../passages/domain/search.ts';
import { citedSources } from './citations.ts';

const hit = (id: string, ordinal = 0): Hit => ({
  ...{ kind: 'DOCUMENT', id, title: `Title of ${id}`, createdAt: new Date(0), ordinal, page: 3 },
  ...{ text: 'All of it.', start: 100, end: 110, score: 1, isRelevant: true },
  quote: { text: 'of it', start: 104, end: 109, highlights: [] },
});

describe('the sources of an answer', () => {
  it('keep their numbers however often they are shown', () => {
    const sources = citedSources();
    expect([hit('a'), hit('b'), hit('a'), hit('a', 1)].map(sources.numberOf)).toEqual([1, 2, 1, 3]);
  });

  it('are cited where the text names them, once each', () => {
    const sources = citedSources();
    sources.numberOf(hit('a'));
    sources.numberOf(hit('b'));
    expect(sources.citedIn('So it is [2], really [2], see [17].')).toEqual([
      { number: 2, kind: 'DOCUMENT', id: 'b', title: 'Title of b', page: 3, quote: 'of it', start: 104, end: 109 },
    ]);
    expect(sources.citedIn('Nobody knows.')).toEqual([]);
  });
});
