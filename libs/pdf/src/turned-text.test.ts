import { describe, expect, it } from '@jest/globals';
import { directionOf, turnedLines } from './turned-text.ts';

/** Every letter is one point wide. */
const lines = (text: string, { width = 100, direction = directionOf(text) } = {}) =>
  turnedLines([{ text, style: 'plain' }], { width, direction, measure: (letters) => letters.length }).map((line) =>
    line.pieces.map((piece) => piece.text),
  );

describe('text that is written from right to left', () => {
  it('begins where its first letter says, whatever digits and signs are before it', () => {
    expect(directionOf('12 (שלום) and more')).toBe('rtl');
    expect(directionOf('«سلام»')).toBe('rtl');
    expect(directionOf('A שלום')).toBe('ltr');
    expect(directionOf('1,234.50', 'rtl')).toBe('rtl');
  });

  it('has its parts in the order in which they stand on the line, each as the engine of fonts wants it', () => {
    // Arabic and Hebrew are turned around by the engine, and nothing else is.
    expect(lines('سلام abc 12 سلام')).toEqual([[' سلام', 'abc 12', 'سلام ']]);
    expect(lines('abc שלום עולם def')).toEqual([['abc ', 'שלום עולם', ' def']]);
    // Numbers are read from left to right, those with Arabic digits as well, which the engine would turn around.
    expect(lines('سنة ١٢٣ نعم')).toEqual([[' نعم', '٣٢١', 'سنة ']]);
  });

  it('has its brackets the other way round, and signs between its letters in its own order', () => {
    const [[all = ''] = []] = lines('שלום (עולם)!');
    // The engine turns this around as it is: what opens in the text has to close in the glyphs.
    expect(all).toBe('שלום )עולם(!');
    expect(lines('(1)?', { direction: 'rtl' })).toEqual([['?(', '1', ')']]);
  });

  it('counts a sign outside the first plane as one of its own kind', () => {
    expect(lines('א😀ב')).toEqual([['א😀ב']]);
  });

  it('breaks at spaces, the first words on the first line, and leaves no space at the end of one', () => {
    expect(lines('אחת שתיים שלוש', { width: 9 })).toEqual([['אחת שתיים'], ['שלוש']]);
    expect(lines('אחת\nשתיים')).toEqual([['אחת'], ['שתיים']]);
    expect(lines('')).toEqual([[]]);
  });

  it('breaks a word that is longer than a line, and no letter from its points', () => {
    expect(lines(`${'א'.repeat(7)} ב`, { width: 3 })).toEqual([['אאא'], ['אאא'], ['א ב']]);
    expect(lines('בָּבָּ', { width: 3, direction: 'rtl' })).toEqual([['בָּ'], ['בָּ']]);
    expect(lines('אב', { width: 0 })).toEqual([['א'], ['ב']]);
  });

  it('keeps letters apart where the text says so, and each style by itself', () => {
    expect(lines('می\u200cشود')).toEqual([['شود', 'می']]);
    const [bold, plain] = [{ weight: 'bold' }, { weight: 'plain' }];
    const [line] = turnedLines(
      [
        { text: 'אב ', style: bold },
        { text: 'גד', style: plain },
      ],
      { width: 100, direction: 'rtl', measure: (text) => text.length },
    );
    expect(line).toEqual({
      width: 5,
      pieces: [
        { text: 'גד', style: plain, width: 2 },
        { text: 'אב ', style: bold, width: 3 },
      ],
    });
  });
});
