import { describe, expect, it } from '@jest/globals';
import { textOfWords } from './words-of-pages.ts';

const head =
  'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n1\t1\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t';
const table = (...words: readonly (readonly [position: string, confidence: number, text: string])[]): string =>
  [
    head,
    ...words.map(([position, confidence, text]) => `5\t1\t${position}\t1\t0\t0\t9\t9\t${confidence}\t${text}`),
  ].join('\n');

describe('what was read of a picture', () => {
  it('has its words in lines, and its paragraphs apart', () => {
    const words = table(
      ['1\t1\t1', 96, 'The'],
      ['1\t1\t1', 96.5, 'report'],
      ['1\t1\t2', 90, 'grew.'],
      ['1\t2\t1', 90, 'Next'],
      ['2\t1\t1', 90, 'Block'],
    );
    expect(textOfWords(`${words}\n`)).toBe('The report\ngrew.\n\nNext\n\nBlock');
    expect(textOfWords(head)).toBe('');
  });

  it('leaves out what can hardly be letters, and says nothing where most of it is a guess', () => {
    const words = table(['1\t1\t1', 12, '~|\\'], ['1\t1\t1', 88, 'Invoice'], ['1\t1\t1', 95, ' ']);
    expect(textOfWords(words)).toBe('Invoice');
    expect(textOfWords(table(['1\t1\t1', 35, 'oe'], ['1\t1\t2', 44, 'aS']))).toBe('');
  });
});
