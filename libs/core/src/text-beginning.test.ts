import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { beginningInBytes, beginningOf, endOf } from './text-beginning.ts';

const texts = fc.string({ unit: 'binary', maxLength: 40 });
const lengths = fc.nat(90);

describe('a text that is cut', () => {
  it('is its beginning, as long as may be, of whole characters', () => {
    fc.assert(
      fc.property(texts, lengths, (text, max) => {
        const cut = beginningOf(text, max);
        expect(text.startsWith(cut) && cut.isWellFormed() && cut.length <= max).toBe(true);
        const [next = ''] = text.slice(cut.length);
        if (cut !== text) expect(`${cut}${next}`.length).toBeGreaterThan(max);
      }),
    );
    expect([beginningOf('a😀b', 2), beginningOf('a😀b', 3), beginningOf('a😀b', 4)]).toEqual(['a', 'a😀', 'a😀b']);
  });

  it('is its end, as long as may be, of whole characters', () => {
    fc.assert(
      fc.property(texts, lengths, (text, max) => {
        const cut = endOf(text, max);
        expect(text.endsWith(cut) && cut.isWellFormed() && cut.length <= max).toBe(true);
        const next = Array.from(text.slice(0, text.length - cut.length)).at(-1) ?? '';
        if (cut !== text) expect(`${next}${cut}`.length).toBeGreaterThan(max);
      }),
    );
    expect([endOf('a😀b', 1), endOf('a😀b', 2), endOf('a😀b', 3)]).toEqual(['b', 'b', '😀b']);
  });

  it('is its beginning in bytes, as many as may be, of whole characters', () => {
    fc.assert(
      fc.property(texts, lengths, (text, max) => {
        const cut = beginningInBytes(text, max);
        expect(text.startsWith(cut) && cut.isWellFormed() && Buffer.byteLength(cut) <= max).toBe(true);
        const [next = ''] = text.slice(cut.length);
        if (cut !== text) expect(Buffer.byteLength(`${cut}${next}`)).toBeGreaterThan(max);
      }),
    );
    expect([1, 2, 3, 4, 7, 8].map((max) => beginningInBytes('aé😀b', max))).toEqual([
      ...['a', 'a', 'aé', 'aé', 'aé😀', 'aé😀b'],
    ]);
  });
});
