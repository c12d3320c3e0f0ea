import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { markedHeadings, splitPassages, splitText, toldHeadings } from './split-passages.ts';
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

  it('leave nothing out and are never too large where there are headings, either', () => {
    const headed = fc
      .array(fc.tuple(fc.constantFrom('', '# Title', '## Part\n', '### **Deep** part ###', '#hash'), sentence), {
        maxLength: 30,
      })
      .map((all) => all.map((pair) => pair.join('\n')).join('\n\n'));
    fc.assert(
      fc.property(headed, (text) => {
        let covered = 0;
        for (const { start, end, text: passage } of splitPassages(text, whole(text), markedHeadings)) {
          expect(text.slice(covered, Math.max(covered, start)).trim()).toBe('');
          expect(text.slice(start, end)).toBe(passage);
          expect(countTokens(passage)).toBeLessThanOrEqual(130);
          covered = Math.max(covered, end);
        }
        expect(text.slice(covered).trim()).toBe('');
      }),
      { numRuns: 60 },
    );
  });

  it('have a heading with what stands under it, and say it where that goes on', () => {
    const long = (word: string) =>
      Array.from({ length: 30 }, (_, at) => `The ${word} of month ${at} was as expected.`).join(' ');
    const text = `# Guide\n\n## **Rent** ##\n${long('rent')}\n\n## Heating\n\n${long('heating')}\n\n## Empty`;
    const passages = [...splitPassages(text, whole(text), markedHeadings)];
    expect(passages[0]?.text).toMatch(/^# Guide\n\n## \*\*Rent\*\* ##\nThe rent/);
    expect(passages[0]?.heading).toBeUndefined();
    expect(passages[1]).toMatchObject({ heading: 'Rent' });
    const heating = passages.findIndex((passage) => passage.text.startsWith('## Heating'));
    expect(passages[heating]?.text).toContain('The heating');
    expect(passages[heating + 1]).toMatchObject({ heading: 'Heating' });
    for (const passage of passages.slice(0, -1)) expect(passage.text).not.toMatch(/\n?#[^\n]*$/);
  });

  it('know headings by their words where whoever has read the text has told them', () => {
    const body = Array.from({ length: 12 }, (_, at) => `Sentence ${at} says something of it.`).join(' ');
    const text = `Rent\n\n${body}\n\nHeating\n\n${body}`;
    const starts = [...splitPassages(text, whole(text), toldHeadings(['Rent', 'Heating']))].map(
      ({ text: one }) => one.split('\n')[0],
    );
    expect(starts).toEqual(['Rent', 'Heating']);
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
