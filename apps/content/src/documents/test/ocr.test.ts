import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWhere } from '@platform-backend/testing/where';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readerHome, runInSandbox } from '../../../test/test-sandbox.ts';
import type { ExtractOptions } from '../domain/extraction.ts';
import { documentReaders, type DocumentReaders } from '../extraction/document-readers.ts';
import type { InstalledOcr } from '../models/installed-ocr.ts';
import { tesseractOcr, type PageOutcome } from '../models/tesseract.ts';
import { noPdftoppm, ocrHere, scanned, scannedPdf } from './scanned-pages.ts';
import { tiff } from './tiff.ts';

const LINES = ['Invoices are paid within thirty days.', 'The committee meets in October.'];
const TEXT = /Invoices are paid within thirty days\.\s+The committee meets in October\./;

describeWhere(noPdftoppm, 'pages that are pictures', () => {
  const outcomes: PageOutcome[] = [];
  const warned: unknown[] = [];
  let folder: string;
  let readers: DocumentReaders;
  let png: Buffer;

  const readersWith = (installed = ocrHere as InstalledOcr) =>
    documentReaders(readerHome, {
      processes: 1,
      ocr: tesseractOcr(runInSandbox, installed, {
        ...{ slots: 1, maxPages: 2, folder, logger: { warn: (details: unknown) => warned.push(details) } },
        count: (outcome) => outcomes.push(outcome),
      }),
    });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ocr-'));
    readers = readersWith();
    png = await scanned(LINES, 'png');
  });
  afterAll(async () => {
    readers.close();
    await rm(folder, { recursive: true });
  });

  async function read(name: string, bytes: Buffer, options: Partial<ExtractOptions> = {}, using = readers) {
    const path = join(folder, name);
    await writeFile(path, bytes);
    outcomes.splice(0);
    try {
      return await using.extract(
        { path, name },
        { organisationId: 'any', signal: AbortSignal.timeout(300_000), ...options },
      );
    } finally {
      await rm(path);
    }
  }

  it('of a PDF have a text like any other page, and those beyond what may be are named', async () => {
    const seen: [number, number][] = [];
    const written = 'This page was written on a computer.';
    const mixed = await scannedPdf([written, png, png, png]);
    const { text, passages, ...facts } = await read('mixed.pdf', mixed, { onPicture: (...now) => seen.push(now) });
    expect(facts).toMatchObject({ mediaType: 'application/pdf', pages: 4, pagesWithoutText: [4], language: 'en' });
    expect(text.startsWith(written)).toBe(true);
    expect(passages.map(({ page }) => page)).toEqual([1, 2, 3]);
    expect(passages[1]?.text).toMatch(TEXT);
    expect(seen).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    expect(outcomes).toEqual(['read', 'read', 'left_out']);
    // Nothing of the pictures that were made of them is left.
    expect(await readdir(folder)).toEqual([]);
  });

  it('are files as well: a JPEG, and each of the pictures of a TIFF', async () => {
    const jpeg = await read('photo', await scanned(LINES, 'jpeg'));
    expect(jpeg).toMatchObject({ mediaType: 'image/jpeg', pages: 1, pagesWithoutText: [] });
    expect(jpeg.text).toMatch(TEXT);
    const fax = await read(
      'fax',
      tiff([await scanned(LINES, 'pgm'), await scanned(['Second page of the fax'], 'pgm')]),
    );
    expect(fax).toMatchObject({ mediaType: 'image/tiff', pages: 2, pagesWithoutText: [] });
    expect(fax.text).toMatch(TEXT);
    expect(fax.passages.at(-1)).toMatchObject({ page: 2, text: 'Second page of the fax' });
  });

  it('without a text, or damaged, are told as ever, and read by whoever comes next', async () => {
    const blank = await scanned([], 'png');
    await expect(read('blank.png', blank)).rejects.toMatchObject({ code: 'no_text', mediaType: 'image/png' });
    expect(outcomes).toEqual(['empty']);
    expect(await read('half.pdf', await scannedPdf([blank, png]))).toMatchObject({ pagesWithoutText: [1] });
    warned.splice(0);
    await expect(read('cut.png', png.subarray(0, 300))).rejects.toMatchObject({ code: 'no_text' });
    expect([outcomes, warned]).toMatchObject([['failed'], [{ event: 'document_page.unread', page: 1 }]]);
  });

  it('are begun no more when their time is over, and end with whoever wants them', async () => {
    const late = await scannedPdf(['Written.', png]);
    expect(await read('late.pdf', late, { ocrTimeoutMs: 0 })).toMatchObject({
      text: 'Written.',
      pagesWithoutText: [2],
    });
    const gone = new AbortController();
    const onPicture = () => gone.abort(new Error('not wanted'));
    await expect(read('gone.pdf', await scannedPdf([png, png]), { signal: gone.signal, onPicture })).rejects.toThrow(
      'not wanted',
    );
    expect(outcomes).toEqual(['read']);
  });

  it('of PDFs stay without one where nothing draws them, and pictures are read all the same', async () => {
    const withoutPoppler = readersWith({ ...(ocrHere as InstalledOcr), pdftoppm: undefined });
    try {
      const scan = await scannedPdf([png]);
      await expect(read('scan.pdf', scan, {}, withoutPoppler)).rejects.toMatchObject({ code: 'no_text' });
      expect((await read('scan.png', png, {}, withoutPoppler)).text).toMatch(TEXT);
    } finally {
      withoutPoppler.close();
    }
  });
});
