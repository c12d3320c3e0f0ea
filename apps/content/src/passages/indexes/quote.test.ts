import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { quoteOf } from './quote.ts';
import { queryTerms } from './words.ts';

const filler = 'Nothing of interest is said in this sentence, nor in the next. '.repeat(8);

describe('a quote in a language with compounds', () => {
  it('shows the words that have a word of the question as a part', () => {
    const text = 'Die Urlaubsanträge sind nicht im Büro und nicht beim Begleiter zu stellen.';
    const { highlights } = quoteOf({ text, start: 0 }, queryTerms('Antrag für den Leiter'));
    expect(highlights.map(({ start, end }) => text.slice(start, end))).toEqual(['Urlaubsanträge']);
  });
});

describe('the quote of a hit', () => {
  it('is the sentences that say most of what was asked, with the words marked where they stand', () => {
    const text = `${filler}Receipts above 25 euros are attached to the claim. ${filler}`;
    const quote = quoteOf({ text, start: 1000 }, queryTerms('Which receipt do I attach to a claim?'));
    expect(quote.text).toContain('Receipts above 25 euros are attached to the claim.');
    expect(quote.text).toBe(text.slice(quote.start - 1000, quote.end - 1000));
    const marked = quote.highlights.map(({ start, end }) => quote.text.slice(start, end));
    expect(marked).toEqual(['Receipts', 'attached', 'claim']);
  });

  it('begins at the beginning where no word was asked for', () => {
    expect(quoteOf({ text: 'Short.', start: 5 }, [])).toEqual({ text: 'Short.', start: 5, end: 11, highlights: [] });
    expect(quoteOf({ text: '', start: 0 }, [])).toEqual({ text: '', start: 0, end: 0, highlights: [] });
  });

  it('is short and a piece of the text word for word, whatever the text', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('claim', '. ', '\n', 'x'.repeat(400), '日本語'),
    );
    const texts = fc.array(word, { maxLength: 60 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(texts, (text) => {
        const quote = quoteOf({ text, start: 0 }, queryTerms('claim 日本'));
        expect(quote.text).toBe(text.slice(quote.start, quote.end));
        expect(quote.text.length).toBeLessThanOrEqual(301);
        if (text.isWellFormed()) expect(quote.text.isWellFormed()).toBe(true);
        for (const { start, end } of quote.highlights) expect(quote.text.slice(start, end)).not.toBe('');
      }),
    );
  });
});
