import { describe, expect, it } from '@jest/globals';
import { queryTerms, wordsOf } from '../../indexes/words.ts';
import passages from './passages.json' with { type: 'json' };
import questions from './questions.json' with { type: 'json' };

const termsOf = (text: string) => new Set([...wordsOf(text)].map(({ term }) => term));
const answers = new Map(passages.map(({ id, text }) => [id, termsOf(text)]));
const shared = ({ text, answer }: (typeof questions)[number]) =>
  queryTerms(text).filter((forms) => forms.some((form) => answers.get(answer)?.has(form)));

describe('the questions that searches are measured with', () => {
  it('avoid every word of their answer, or repeat some', () => {
    const kinds = Map.groupBy(questions, ({ words }) => words);
    expect([...kinds].map(([words, { length }]) => [words, length])).toEqual([
      ['avoids', 50],
      ['repeats', 50],
      ['shares', 66],
    ]);
    expect(kinds.get('avoids')?.flatMap(shared)).toEqual([]);
    expect(kinds.get('repeats')?.filter((question) => shared(question).length === 0)).toEqual([]);
  });

  it('have an answer that is there once', () => {
    expect(new Set(passages.map(({ text }) => text)).size).toBe(passages.length);
    expect(questions.filter(({ answer }) => !answers.has(answer))).toEqual([]);
  });
});
