import { describe, expect, it } from '@jest/globals';
import { leaveOut } from '@platform-backend/testing/where';
import { extractText, getDocumentProxy } from 'unpdf';
import { pageBounds, pdfWriter, type PdfPages } from '../src/index.ts';
import { eastAsianFontFiles } from '../src/machine-fonts.ts';

const writePdf = pdfWriter();
const properties = { title: 'Title', createdAt: new Date('2026-01-01T12:00:00Z') };
const pagesOf = async (write: (pages: PdfPages) => void) => {
  const { text } = await extractText(new Uint8Array(await writePdf(properties, write)), { mergePages: false });
  return text;
};

/** Lines below each other, with a footer. */
const lines =
  (...texts: readonly string[]) =>
  (pages: PdfPages) => {
    pages.font('regular', 10);
    for (const text of texts) {
      pages.roomFor(20);
      pages.text(pages.printable(text), pageBounds.left, pages.document.y, { width: 400 });
    }
    pages.writeFooters(({ y, page, pages: count }) =>
      pages.text(`${page} of ${count}`, pageBounds.left, y, { width: 100 }),
    );
  };

describe('writing a PDF', () => {
  it('begins another page where there is no room, and knows at each footer how many there are', async () => {
    const texts = await pagesOf(lines(...Array.from({ length: 120 }, (_, index) => `Line ${index}.`)));
    expect(texts.length).toBeGreaterThan(1);
    for (const [index, text] of texts.entries()) expect(text).toContain(`${index + 1} of ${texts.length}`);
    for (let index = 0; index < 120; index += 1) expect(texts.join('\n')).toContain(`Line ${index}.`);
  });

  it('begins no page for what no page has room for', async () => {
    expect(await pagesOf((pages) => expect(pages.roomFor(10_000)).toBe(false))).toHaveLength(1);
  });

  it.each([
    ['\u{e000}\u{e001}', '\ufffd\ufffd'],
    ['2 ≥ 1 → ✓ ☐ 😀 done', '2 ≥ 1 → ✓ ☐ 😀 done'],
    ['A\u030angstro\u0308m', 'Ångström'],
    ['one\ntwo', 'one two'],
  ])('never drops a letter, and says of those it cannot show what stands for them: %j', async (text, shown) => {
    const [page = ''] = await pagesOf(lines(text));
    expect(page).toContain(shown);
    expect(page.includes('stands for a letter')).toBe(shown.includes('\ufffd'));
  });

  it('shows East Asian letters where the machine has a font of them', async () => {
    if (eastAsianFontFiles().length === 0) {
      leaveOut('no font of East Asian letters is installed: a PDF with them is not written');
      return;
    }
    const [page] = await pagesOf(lines('Bericht 日本語 fertig'));
    expect(page).toContain('Bericht 日本語 fertig');
  });

  it('looks for such fonts in folders that need not be there', () => {
    expect(eastAsianFontFiles(['/nowhere', import.meta.dirname])).toEqual([]);
  });

  it('writes signs of other fonts to the right, at the end of the line', async () => {
    const pdf = await writePdf(properties, (pages) => {
      pages.font('regular', 10);
      for (const text of ['≥ 7', '7'])
        pages.text(pages.printable(text), 100, pages.document.y, { width: 200, align: 'right' });
    });
    const { items } = await (await (await getDocumentProxy(new Uint8Array(pdf))).getPage(1)).getTextContent();
    const ends = items.flatMap((item) =>
      'str' in item && item.str.trim() === '7' ? [Number(item.transform[4]) + item.width] : [],
    );
    expect(ends).toHaveLength(2);
    expect(Math.abs((ends[0] ?? 0) - (ends[1] ?? 0))).toBeLessThan(3);
  });

  it('reads the tables of a font once for all documents', async () => {
    const tables: unknown[] = [];
    const look = (pages: PdfPages) => {
      lines('≥ 7')(pages);
      const { _font: font } = pages.document as unknown as { readonly _font: { readonly font: { _tables: object } } };
      expect(Object.keys(font.font._tables)).toContain('GPOS');
      tables.push(font.font._tables);
    };
    for (let time = 0; time < 2; time += 1) await writePdf(properties, look);
    expect(tables[0]).toBe(tables[1]);
  });

  it('writes the same bytes, whatever was written before with the same glyphs', async () => {
    // Both have one glyph, and are told apart by whoever copies them out of a document.
    const documents = [lines('one\u00a0two ≥'), lines('one two ≥')];
    const together = [];
    for (const write of documents) together.push(await writePdf(properties, write));
    const alone = await Promise.all(documents.map((write) => pdfWriter()(properties, write)));
    expect(together.map((pdf) => pdf.toString('latin1'))).toEqual(alone.map((pdf) => pdf.toString('latin1')));
    expect(together[0]).not.toEqual(together[1]);
  });

  it('says in the file what it is', async () => {
    const pdf = await writePdf({ ...properties, author: 'Ada', language: 'en' }, lines('text'));
    const { info } = await (await getDocumentProxy(new Uint8Array(pdf))).getMetadata();
    expect(info).toMatchObject({ Title: 'Title', Author: 'Ada', Language: 'en', CreationDate: 'D:20260101120000Z' });
  });

  it('makes the same document of the same text, byte for byte', async () => {
    const first = await writePdf(properties, lines('text'));
    expect((await pdfWriter()(properties, lines('text'))).equals(first)).toBe(true);
    expect((await writePdf(properties, lines('other'))).equals(first)).toBe(false);
  });

  it('rejects where what writes it throws', async () => {
    const write = () => {
      throw new Error('nothing to write');
    };
    await expect(writePdf(properties, write)).rejects.toThrow('nothing to write');
  });
});
