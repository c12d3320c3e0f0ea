import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWhere } from '@platform-backend/testing/where';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readerHome, runInSandbox } from '../../../test/test-sandbox.ts';
import { documentReaders, type DocumentReaders } from '../extraction/document-readers.ts';
import type { InstalledOcr } from '../models/installed-ocr.ts';
import { tesseractOcr, type PageOutcome } from '../models/tesseract.ts';
import { noOcr, ocrHere } from './scanned-pages.ts';

/** Two lines of text, black on white, without loss; nothing that is installed with the platform writes this format. */
const PAGE = join(import.meta.dirname, 'page.webp');

describeWhere(noOcr, 'a page that is a WebP', () => {
  const outcomes: PageOutcome[] = [];
  let folder: string;
  let readers: DocumentReaders;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webp-'));
    readers = documentReaders(readerHome, {
      processes: 1,
      ocr: tesseractOcr(runInSandbox, ocrHere as InstalledOcr, {
        ...{ slots: 1, maxPages: 2, folder, logger: { warn: () => undefined } },
        count: (outcome) => outcomes.push(outcome),
      }),
    });
  });
  afterAll(async () => {
    readers.close();
    await rm(folder, { recursive: true });
  });

  const read = (path: string) =>
    readers.extract({ path, name: 'photo' }, { organisationId: 'any', signal: AbortSignal.timeout(300_000) });

  it('is known by its bytes and read like other pictures', async () => {
    const path = join(folder, 'photo');
    await copyFile(PAGE, path);
    const { text, ...facts } = await read(path);
    expect(facts).toMatchObject({ mediaType: 'image/webp', pages: 1, pagesWithoutText: [] });
    expect(text).toMatch(/Invoices are paid within thirty days\.\s+The committee meets in October\./);
    expect(outcomes.splice(0)).toEqual(['read']);
  });

  it('that is cut off is told as one without a text', async () => {
    const path = join(folder, 'cut');
    await writeFile(path, (await readFile(PAGE)).subarray(0, 300));
    await expect(read(path)).rejects.toMatchObject({ code: 'no_text', mediaType: 'image/webp' });
    expect(outcomes.splice(0)).toEqual(['failed']);
  });
});
