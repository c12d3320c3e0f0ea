import { describe, expect, it } from '@jest/globals';
import { getDocumentProxy } from 'unpdf';
import { reportPdf } from '../rendering/report-pdf.ts';

const makePdf = reportPdf();

/** What stands on the first page, by what it says. */
async function positionsOf(markdown: string) {
  const pdf = await makePdf({ title: 'Report', markdown, updatedAt: new Date('2026-01-01T12:00:00Z') });
  const page = await (await getDocumentProxy(new Uint8Array(pdf))).getPage(1);
  const { items } = await page.getTextContent();
  const texts = items.flatMap((item) => ('str' in item && item.str.trim() !== '' ? [item] : []));
  const annotations = (await page.getAnnotations()) as { url?: string; rect: number[] }[];
  return {
    annotations,
    of: (text: string) => {
      const item = texts.find(({ str }) => str.trim() === text);
      if (!item) throw new Error(`${text} is not among ${texts.map(({ str }) => str).join('|')}`);
      const from = Number(item.transform[4]);
      return { from, to: from + item.width, y: Number(item.transform[5]) };
    },
  };
}

const [left, right] = [56, 539];

describe('a report that is written from right to left', () => {
  it('has its headings, paragraphs and quotes at the right', async () => {
    const { of } = await positionsOf('# שלום\n\nפסקה\n\n> ציטוט\n\nLatin');
    expect(of('שלום').to).toBeCloseTo(right, 0);
    expect(of('פסקה').to).toBeCloseTo(right, 0);
    expect(of('ציטוט').to).toBeCloseTo(right - 16, 0);
    expect(of('Latin').from).toBeCloseTo(left, 0);
  });

  it('has the marks of its lists at the right of their items, on their lines', async () => {
    const { of } = await positionsOf('- שלום\n\n\n1. أول\n   - ثان\n\n\n* Latin');
    expect(of('שלום').to).toBeCloseTo(right - 20, 0);
    expect(of('ثان').to).toBeCloseTo(right - 40, 0);
    const number = of('.1');
    expect(number.from).toBeGreaterThan(of('أول').to);
    expect(number.y).toBeCloseTo(of('أول').y, 0);
    const latin = of('• Latin');
    expect(latin.from).toBeGreaterThan(left);
    expect(latin.from).toBeLessThan(left + 20);
  });

  it('has the first column of its tables at the right, and numbers below their title', async () => {
    const { of } = await positionsOf('| שם | סכום |\n|---|---|\n| צפון | 42 |');
    expect(of('שם').from).toBeGreaterThan(of('סכום').to);
    expect(of('שם').to).toBeCloseTo(right - 4, 0);
    expect(of('צפון').to).toBeCloseTo(of('שם').to, 0);
    expect(of('42').to).toBeCloseTo(of('סכום').to, 0);
  });

  it('keeps the styles and links of a line, each where its words are', async () => {
    const { annotations, of } = await positionsOf('ראה **חשוב** [קישור](https://example.com)');
    expect(of('חשוב').to).toBeLessThan(of('ראה').from);
    const [link] = annotations;
    expect(link?.url).toBe('https://example.com/');
    expect(link?.rect[0]).toBeCloseTo(of('קישור').from, 0);
    expect(link?.rect[2]).toBeCloseTo(of('קישור').to, 0);
  });

  it('has what is code at the left', async () => {
    const { of } = await positionsOf('שלום\n\n```\n// הערה\n```');
    expect(of('//').from).toBeCloseTo(left + 8, 0);
  });
});
