import { describe, expect, it } from '@jest/globals';
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import { pageBounds, pdfWriter, type PdfPages } from '../src/index.ts';

const writePdf = pdfWriter();

const pageOf = async (write: (pages: PdfPages) => void) => {
  const pdf = await writePdf({ title: 'Title', createdAt: new Date('2026-01-01T12:00:00Z') }, (pages) => {
    pages.font('regular', 10);
    write(pages);
  });
  return (await getDocumentProxy(new Uint8Array(pdf))).getPage(1);
};

/** Below each other, 400 points wide. */
const written = (texts: readonly string[]) =>
  pageOf((pages) => {
    for (const text of texts) pages.text(pages.printable(text), pageBounds.left, pages.document.y, { width: 400 });
  });

interface Glyph {
  readonly unicode: string;
  readonly originalCharCode: number;
}

/** What is drawn, from left to right where it is one line. */
async function glyphsOf(text: string): Promise<readonly Glyph[]> {
  const [page, { OPS }] = await Promise.all([written([text]), getResolvedPDFJS()]);
  const { fnArray, argsArray } = await page.getOperatorList();
  return fnArray.flatMap((operator, at): Glyph[] => {
    if (operator !== OPS.showText) return [];
    const [shown] = argsArray[at] as [readonly (Glyph | number)[]];
    return shown.filter((glyph) => typeof glyph !== 'number');
  });
}

const drawn = async (text: string) => (await glyphsOf(text)).map(({ unicode }) => unicode).join('');

async function itemsOf(texts: readonly string[]) {
  const { items } = await (await written(texts)).getTextContent();
  return items.flatMap((item) =>
    'str' in item && item.str.trim() !== '' ? [{ ...item, x: Number(item.transform[4]) }] : [],
  );
}

const backwards = (text: string) => Array.from(text).toReversed().join('');

describe('a PDF with text that is written from right to left', () => {
  it('has its letters from the right, and Latin letters and numbers among them from the left', async () => {
    expect(await drawn('שלום עולם')).toBe(backwards('שלום עולם'));
    expect(await drawn('בשנת 2026 היה OK.')).toBe(`.OK ${backwards('היה')} 2026 ${backwards('בשנת')}`);
    expect(await drawn('Word שלום (עולם) 42 end')).toBe(`Word 42 (${backwards('עולם')}) ${backwards('שלום')} end`);
    expect(await drawn('١٢٣')).toBe('١٢٣');
    expect(await drawn('رقم ۱۲۳')).toBe(`۱۲۳ ${backwards('رقم')}`);
  });

  it('has Arabic letters in the forms that join them, each of which says which letter it is', async () => {
    const joined = await glyphsOf('ببب');
    expect(joined.map(({ unicode }) => unicode)).toEqual(['ب', 'ب', 'ب']);
    expect(new Set(joined.map(({ originalCharCode }) => originalCharCode)).size).toBe(3);
    const alone = await glyphsOf('ب ب');
    expect(new Set(alone.map(({ originalCharCode }) => originalCharCode)).size).toBe(2);
    // What the sign keeps apart ends and begins anew, without anything between.
    expect((await glyphsOf('بب\u200cبب')).map(({ originalCharCode }) => originalCharCode)).toEqual([1, 2, 1, 2]);
    // Of two letters one glyph is made.
    expect((await glyphsOf('لا')).map(({ unicode }) => unicode)).toEqual(['لا']);
  });

  it('begins its lines at the right, and breaks them as others', async () => {
    const items = await itemsOf(['שלום', 'Latin', 'מילה '.repeat(60).trim()]);
    const end = pageBounds.left + 400;
    const lines = Map.groupBy(items, ({ transform }) => Math.round(Number(transform[5])));
    const bounds = [...lines.values()].map((line) => ({
      from: Math.min(...line.map(({ x }) => x)),
      to: Math.max(...line.map(({ x, width }) => x + width)),
    }));
    expect(bounds.length).toBeGreaterThan(4);
    expect(bounds[1]?.from).toBeCloseTo(pageBounds.left, 0);
    for (const { from, to } of bounds.toSpliced(1, 1)) {
      expect(to).toBeCloseTo(end, 0);
      expect(from).toBeGreaterThanOrEqual(pageBounds.left);
    }
  });

  it('can be read as it was written', async () => {
    const items = await itemsOf(['تقرير الربع الثالث', 'שלום עולם']);
    const text = items.map(({ str }) => str.trim()).join('|');
    expect(text).toBe('تقرير الربع الثالث|שלום עולם');
  });

  it('goes on on the next page, and ends with dots where it has one line', async () => {
    const pdf = await writePdf({ title: 'Title', createdAt: new Date('2026-01-01T12:00:00Z') }, (pages) => {
      pages.font('regular', 10);
      const text = pages.printable('מילה '.repeat(1_000));
      const height = pages.heightOf(text, 300);
      expect(height).toBeGreaterThan(1_000);
      pages.text(text, pageBounds.left, pageBounds.left, { width: 300, height: 12, ellipsis: true });
      expect(pages.document.y).toBeLessThan(pageBounds.left + 20);
      pages.text(text, pageBounds.left, pages.document.y, { width: 300 });
    });
    const document = await getDocumentProxy(new Uint8Array(pdf));
    expect(document.numPages).toBeGreaterThan(1);
    const { items } = await (await document.getPage(1)).getTextContent();
    expect(items.flatMap((item) => ('str' in item ? [item.str] : [])).join('')).toContain('…');
  });

  it('marks the letters of scripts that no font has', async () => {
    expect(await drawn('ܫܠܡ שלום')).toContain('\ufffd\ufffd\ufffd');
  });
});
