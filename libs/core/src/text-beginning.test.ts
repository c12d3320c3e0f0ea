import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { beginningInBytes, beginningOf, endOf } from './text-beginning.ts';

const texts = fc.string({ unit: 'binary', maxLength: 40 });
const lengths = fc.nat(90);

describe('a text that is cut', () => {
  it('is its beginning, as long as may be, of whole characters', () => {
    fc.assert(
      fc.property(texts, lengths, (text, most) => {
        const cut = beginningOf(text, most);
        expect(text.startsWith(cut) && cut.isWellFormed() && cut.length <= most).toBe(true);
        const [next = ''] = text.slice(cut.length);
        if (cut !== text) expect(`${cut}${next}`.length).toBeGreaterThan(most);
      }),
    );
    expect([beginningOf('a😀b', 2), beginningOf('a😀b', 3), beginningOf('a😀b', 4)]).toEqual(['a', 'a😀', 'a😀b']);
  });

  it('is its end, as long as may be, of whole characters', () => {
    fc.assert(
      fc.property(texts, lengths, (text, most) => {
        const cut = endOf(text, most);
        expect(text.endsWith(cut) && cut.isWellFormed() && cut.length <= most).toBe(true);
        const next = Array.from(text.slice(0, text.length - cut.length)).at(-1) ?? '';
        if (cut !== text) expect(`${next}${cut}`.length).toBeGreaterThan(most);
      }),
    );
    expect([endOf('a😀b', 1), endOf('a😀b', 2), endOf('a😀b', 3)]).toEqual(['b', 'b', '😀b']);
  });

  it('is its beginning in bytes, as many as may be, of whole characters', () => {
    fc.assert(
      fc.property(texts, lengths, (text, most) => {
        const cut = beginningInBytes(text, most);
        expect(text.startsWith(cut) && cut.isWellFormed() && Buffer.byteLength(cut) <= most).toBe(true);
        const [next = ''] = text.slice(cut.length);
        if (cut !== text) expect(Buffer.byteLength(`${cut}${next}`)).toBeGreaterThan(most);
      }),
    );
    expect([1, 2, 3, 4, 7, 8].map((most) => beginningInBytes('aé😀b', most))).toEqual([
      ...['a', 'a', 'aé', 'aé', 'aé😀', 'aé😀b'],
    ]);
  });
});
