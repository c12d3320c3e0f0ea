import { fairSemaphore, type Logger } from '@platform-backend/core';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunProgram } from '../../sandbox/models/run-program.ts';
import type { Ocr, OcrOptions, PictureFile, PictureOfPage } from '../domain/ocr.ts';
import type { InstalledOcr } from './installed-ocr.ts';
import { textOfWords } from './words-of-pages.ts';

export interface TesseractOptions {
  /** Pages that are read at once, of all organisations; one of them has at most half. */
  readonly slots: number;
  /** Of one document. */
  readonly maxPages: number;
  /** Where pictures of pages lie while they are read. */
  readonly folder: string;
  readonly logger: Pick<Logger, 'warn'>;
  readonly count: (outcome: PageOutcome) => void;
}

/** `empty`: no text was found; `left_out`: there were more pages than may be, or no time for them. */
export type PageOutcome = 'read' | 'empty' | 'failed' | 'left_out';

const PDF = 'application/pdf';
const TIFF = 'image/tiff';
const IMAGES = ['image/png', 'image/jpeg', TIFF, 'image/webp'];

/** What scanners are set to; letters are some thirty dots high then, as tesseract likes them. */
const DPI = 300;
/** About those of A3: larger pages are made smaller. */
const MAX_PIXELS = 3_508 * 4_961;
const POINTS_PER_INCH = 72;

/** Of one page, milliseconds of the clock: several seconds on a machine with nothing else to do. */
const PAGE_TIMEOUT_MS = 120_000;

/** How long a page waits for its turn: longer than any document may take. */
const WAIT_MS = 24 * 60 * 60 * 1000;

/** Tesseract, on the pages of PDFs that poppler draws and on pictures: each page in a sandbox of its own, by one thread that stands back. */
export function tesseractOcr(run: RunProgram, installed: InstalledOcr, options: TesseractOptions): Ocr {
  const { tesseract, dataFolder, languages, turnsPages, pdftoppm } = installed;
  const { slots, maxPages, folder, logger, count } = options;
  const semaphore = fairSemaphore({
    ...{ slots, share: Math.max(1, Math.floor(slots / 2)), timeoutMs: WAIT_MS },
    // A document reads one page after the other, and so many are not read at once.
    ...{ maxWaiting: 1_000, maxWaitingInAll: 10_000 },
  });

  async function readPicture(path: string, signal: AbortSignal, page?: number): Promise<string> {
    const { status, stdout, stderr } = await run(tesseract, {
      args: [
        ...[path, 'stdout', '-l', languages.join('+'), '--psm', turnsPages ? '1' : '3'],
        ...['-c', 'tessedit_create_tsv=1', ...(page === undefined ? [] : ['-c', `tessedit_page_number=${page - 1}`])],
      ],
      readable: [path, dataFolder],
      environment: { OMP_THREAD_LIMIT: '1', TESSDATA_PREFIX: dataFolder },
      ...{ fileBytes: 0, timeoutMs: PAGE_TIMEOUT_MS, signal, missing },
    });
    if (status !== 0) throw new Error(`tesseract ended with ${status}: ${stderr.slice(-1_000)}`);
    return textOfWords(stdout);
  }

  async function readDrawn(path: string, page: PictureOfPage, signal: AbortSignal): Promise<string> {
    const own = await mkdtemp(join(folder, 'page-'));
    try {
      const drawn = join(own, 'page');
      await writeFile(`${drawn}.pgm`, '', { mode: 0o600 });
      const number = String(page.page);
      const { status, stderr } = await run(pdftoppm ?? 'pdftoppm', {
        args: [
          ...['-f', number, '-l', number, '-r', String(dotsPerInch(page)), '-gray', '-cropbox'],
          ...['-singlefile', path, drawn],
        ],
        ...{ readable: [path], writable: [`${drawn}.pgm`], fileBytes: 2 * MAX_PIXELS },
        ...{ timeoutMs: PAGE_TIMEOUT_MS, signal, missing },
      });
      if (status !== 0) throw new Error(`pdftoppm ended with ${status}: ${stderr.slice(-1_000)}`);
      return await readPicture(`${drawn}.pgm`, signal);
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }

  const readPage = ({ path, mediaType }: PictureFile, page: PictureOfPage, signal: AbortSignal): Promise<string> =>
    mediaType === PDF
      ? readDrawn(path, page, signal)
      : readPicture(path, signal, mediaType === TIFF ? page.page : undefined);

  async function textOf(file: PictureFile, page: PictureOfPage, { organisationId, signal }: OcrOptions) {
    try {
      const tenant = await semaphore.acquire('tenants', organisationId, signal);
      try {
        const text = await readPage(file, page, signal);
        count(text === '' ? 'empty' : 'read');
        return text;
      } finally {
        semaphore.release(tenant);
      }
    } catch (error) {
      signal.throwIfAborted();
      count('failed');
      logger.warn(
        { event: 'document_page.unread', err: error, organisationId, page: page.page },
        'the text of a page could not be recognised, and is missing in its document',
      );
      return '';
    }
  }

  return {
    mediaTypes: [...IMAGES, ...(pdftoppm === undefined ? [] : [PDF])],
    async readPages(file, pages, { onText, ...own }) {
      const until = performance.now() + own.timeoutMs;
      for (const [at, page] of pages.entries()) {
        own.signal.throwIfAborted();
        const isLeftOut = at >= maxPages || performance.now() >= until;
        if (isLeftOut) count('left_out');
        onText(isLeftOut ? '' : await textOf(file, page, own));
      }
    },
  };
}

/** As scanners do it, and less where a page is larger than paper is. */
export function dotsPerInch({ width, height }: Pick<PictureOfPage, 'width' | 'height'>): number {
  const pixels = width * height * (DPI / POINTS_PER_INCH) ** 2;
  return pixels <= MAX_PIXELS ? DPI : Math.max(1, Math.floor(DPI * Math.sqrt(MAX_PIXELS / pixels)));
}

const missing = (): Error => new Error('it was there when the service started');
