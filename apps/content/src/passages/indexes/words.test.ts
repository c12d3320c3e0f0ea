import { describe, expect, it } from '@jest/globals';
import { queryTerms, wordsOf } from './words.ts';

const termsOf = (text: string) => [...wordsOf(text)].map(({ term }) => term);

describe('words of a text, as searches know them', () => {
  it('are compared without endings, accents and case', () => {
    expect(termsOf('Approving approvals')).toEqual(termsOf('APPROVED approval'));
    expect(termsOf('Café Straße')).toEqual(['cafe', 'straße']);
  });

  it('stand where they stand in the text', () => {
    const text = 'Die Größe: 12 µm';
    expect([...wordsOf(text)].map(({ start, end }) => text.slice(start, end))).toEqual(['Die', 'Größe', '12', 'µm']);
  });

  it('are pairs of letters in scripts without spaces', () => {
    const text = '東京都は広い';
    expect(termsOf(text)).toEqual(['東京', '京都', '都は', 'は広', '広い']);
    expect([...wordsOf(text)].map(({ start, end }) => text.slice(start, end))).toEqual(termsOf(text));
  });

  it('of a question are those that say something, unless there are only others', () => {
    expect(queryTerms('Who invented canning?')).toEqual(['invent', 'can']);
    expect(queryTerms('to be or not to be')).toEqual(['to', 'be', 'or', 'not']);
  });
});
