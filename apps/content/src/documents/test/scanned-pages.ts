import { pdfWriter } from '@platform-backend/pdf';
import { findOnPath } from '@platform-backend/system-programs';
import type { Lack } from '@platform-backend/testing/where';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import PDFDocument from 'pdfkit';
import { installedOcr } from '../models/installed-ocr.ts';

/** As the service asks it when it starts. */
export const ocrHere = await installedOcr({ CONTENT_OCR_LANGUAGES: 'eng', CONTENT_OCR_MAX_PAGES: 100 });
export const noOcr: Lack = ocrHere ? undefined : 'tesseract is not installed with its English';
/** Which draws the pictures of tests as well. */
export const noPdftoppm: Lack = noOcr ?? (ocrHere?.pdftoppm ? undefined : 'pdftoppm is not installed');

const run = promisify(execFile);

/** A picture of a page with these lines, black on white, as a scanner makes it. */
export async function scanned(lines: readonly string[], format: 'png' | 'jpeg' | 'pgm'): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'scan-'));
  try {
    const page = await pdfWriter()({ title: 'page', createdAt: new Date(0) }, (pages) => {
      pages.font('regular', 16);
      for (const [at, line] of lines.entries()) pages.text(line, 60, 80 + 40 * at, { width: 480, align: 'left' });
    });
    await writeFile(join(folder, 'page.pdf'), page);
    const program = findOnPath('pdftoppm') ?? '';
    const as = format === 'pgm' ? [] : [`-${format}`];
    await run(program, ['-r', '150', '-gray', ...as, '-singlefile', join(folder, 'page.pdf'), join(folder, 'page')]);
    return await readFile(join(folder, `page.${format === 'jpeg' ? 'jpg' : format}`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A PDF with a page for each: a text, or a picture. */
export function scannedPdf(pages: readonly (string | Buffer)[]): Promise<Buffer> {
  const document = new PDFDocument({ autoFirstPage: false, size: 'A4', margin: 0 });
  for (const page of pages) {
    document.addPage();
    if (typeof page === 'string') document.fontSize(11).text(page, 60, 60);
    else document.image(page, 0, 0, { fit: [595, 842] });
  }
  document.end();
  return buffer(document);
}
