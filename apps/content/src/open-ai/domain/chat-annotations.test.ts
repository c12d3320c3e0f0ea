import { expect, it } from '@jest/globals';
import { annotationsIn } from './chat-annotations.ts';

it('an answer refers to its sources where their numbers stand, as often as they do', () => {
  const citation = { kind: 'DOCUMENT' as const, id: 'd', title: 'D', quote: 'q', start: 0, end: 1, number: 2 };
  expect(annotationsIn('A [2], [3] and 😀 [2].', [citation])).toEqual([
    { text: '[2]', start: 2, end: 5, citation },
    { text: '[2]', start: 18, end: 21, citation },
  ]);
});
