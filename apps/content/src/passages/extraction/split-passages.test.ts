import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitPassages, splitText } from './split-passages.ts';
import { countTokens } from './tokens.ts';

const whole = (text: string) => [{ start: 0, end: text.length }];

const sentence = fc
  .array(fc.constantFrom('revenue', 'grew', 'in', 'the', 'north', 'übermäßig', '東京', '🎉', '42', 'x'.repeat(90)), {
    minLength: 1,
    maxLength: 60,
  })
  .map((words) => `${words.join(' ')}.`);
const textOf = (separator: string) => fc.array(sentence, { maxLength: 40 }).map((all) => all.join(separator));
const anyText = fc.oneof(textOf(' '), textOf('\n'), textOf('\n\n'), fc.string({ unit: 'grapheme', maxLength: 3_000 }));

describe('passages cut from a text', () => {
  it('are exactly where they say, in order, and never larger than they may be', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let last = -1;
        for (const { ordinal, start, end, text: passage } of splitPassages(text, whole(text))) {
          expect(ordinal).toBe(last + 1);
          expect(text.slice(start, end)).toBe(passage);
          expect(passage).toBe(passage.trim());
          expect(passage).not.toBe('');
          expect(countTokens(passage)).toBeLessThanOrEqual(130);
          last = ordinal;
        }
      }),
      { numRuns: 60 },
    );
  });

  it('leave nothing out', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let covered = 0;
        for (const { start, end } of splitPassages(text, whole(text))) {
          expect(text.slice(covered, Math.max(covered, start)).trim()).toBe('');
          covered = Math.max(covered, end);
        }
        expect(text.slice(covered).trim()).toBe('');
      }),
      { numRuns: 60 },
    );
  });

  it('repeat the end of the one before, from the beginning of a sentence', () => {
    const text = Array.from(
      { length: 80 },
      (_, index) => `The figure of month ${index} was better than expected.`,
    ).join(' ');
    const [first, second] = [...splitPassages(text, whole(text))];
    expect(first?.text).toMatch(/expected\.$/);
    expect(second?.text).toMatch(/^The figure/);
    const repeated = text.slice(second?.start, first?.end);
    expect(countTokens(repeated)).toBeGreaterThan(5);
    expect(countTokens(repeated)).toBeLessThanOrEqual(20);
  });

  it('never stand on two pages', () => {
    const text = 'First page.\n\nSecond page.';
    const pages = [
      { page: 1, start: 0, end: 11 },
      { page: 2, start: 13, end: 25 },
    ];
    expect([...splitPassages(text, pages)].map(({ page, text: passage }) => [page, passage])).toEqual([
      [1, 'First page.'],
      [2, 'Second page.'],
    ]);
  });
});

describe('passages of a long text', () => {
  it('are cut while others go on, and leave nothing out', async () => {
    let [ticks, isCut] = [0, false];
    const others = (): void => {
      ticks += 1;
      if (!isCut) setImmediate(others);
    };
    setImmediate(others);
    for (const text of ['Revenue grew in the north. '.repeat(2_000), '🎉'.repeat(10_000), 'a\n'.repeat(12_000)]) {
      const passages = await splitText(text);
      expect(passages.map(({ ordinal }) => ordinal)).toEqual(passages.map((_, at) => at));
      for (const { start, end, text: passage } of passages) expect(text.slice(start, end)).toBe(passage);
      let covered = 0;
      for (const { start, end } of passages) {
        expect(text.slice(covered, start).trim()).toBe('');
        covered = Math.max(covered, end);
      }
      expect(text.slice(covered).trim()).toBe('');
      expect(passages.every(({ text: passage }) => passage.isWellFormed())).toBe(true);
    }
    isCut = true;
    expect(ticks).toBeGreaterThan(10);
  });
});

describe('tokens of a text', () => {
  it('are counted as they are by everybody, also of a text that names a command', () => {
    expect(countTokens('Hello, world')).toBe(3);
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
    expect(countTokens('')).toBe(0);
  });

  it('of a long run without a break are counted in pieces', () => {
    expect(countTokens('a'.repeat(1_000_000))).toBeGreaterThan(100_000);
  });
});
