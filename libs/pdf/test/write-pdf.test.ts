import { describe, expect, it } from '@jest/globals';
import { extractText, getDocumentProxy } from 'unpdf';
import { pageBounds, pdfWriter, type PdfPages } from '../src/index.ts';

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
    pages.document.font('regular').fontSize(10);
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
    ['日本', '\ufffd\ufffd'],
    ['A\u030angstro\u0308m', 'Ångström'],
    ['one\ntwo', 'one two'],
  ])('never drops a letter, and says of those it cannot show what stands for them: %j', async (text, shown) => {
    const [page = ''] = await pagesOf(lines(text));
    expect(page).toContain(shown);
    expect(page.includes('stands for a letter')).toBe(shown.includes('\ufffd'));
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
