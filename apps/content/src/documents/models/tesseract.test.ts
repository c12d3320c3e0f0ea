import { describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import type { RunProgram } from '../../sandbox/models/run-program.ts';
import type { InstalledOcr } from './installed-ocr.ts';
import { ocrNotice } from './installed-ocr.ts';
import { dotsPerInch, tesseractOcr } from './tesseract.ts';

const installed: InstalledOcr = {
  ...{ tesseract: '/bin/tesseract', dataFolder: '/data', languages: ['eng'], missing: [], turnsPages: true },
  pdftoppm: '/bin/pdftoppm',
};

describe('tesseract', () => {
  it('draws pages as scanners do, and larger ones with as many dots as paper has at most', () => {
    expect(dotsPerInch({ width: 595, height: 842 })).toBe(300);
    expect(dotsPerInch({ width: 842, height: 1_191 })).toBe(299);
    const poster = { width: 2_480, height: 3_508 };
    const dpi = dotsPerInch(poster);
    expect(((poster.width * dpi) / 72) * ((poster.height * dpi) / 72)).toBeLessThan(3_508 * 4_961);
    expect(dotsPerInch({ width: 1e9, height: 1e9 })).toBe(1);
    expect(dotsPerInch({ width: 0, height: 0 })).toBe(300);
  });

  it('reads a page of one organisation after one of another, however many pages one has', async () => {
    const begun: string[] = [];
    const finish: (() => void)[] = [];
    const run: RunProgram = async (_program, { args: [path = ''] }) => {
      begun.push(path);
      const { promise, resolve } = Promise.withResolvers<undefined>();
      finish.push(() => resolve(undefined));
      await promise;
      return { status: 0, stdout: '', stderr: '' };
    };
    const options = {
      slots: 1,
      maxPages: 10,
      folder: '/tmp',
      logger: { warn: () => undefined },
      count: () => undefined,
    };
    const ocr = tesseractOcr(run, installed, options);
    const pages = [1, 2, 3].map((page) => ({ page, width: 0, height: 0 }));
    const all = ['a1', 'a2', 'a3', 'a4', 'b'].map((path) =>
      ocr.readPages({ path, mediaType: 'image/tiff' }, pages, {
        ...{ organisationId: path.slice(0, 1), timeoutMs: Infinity, onText: () => undefined },
        signal: new AbortController().signal,
      }),
    );
    for (let page = 0; page < 15; page += 1) {
      await setImmediate();
      finish[page]?.();
    }
    await Promise.all(all);
    // The one that has just been read asks for its next page when the slot is with the other organisation again.
    const ofB = begun.flatMap((path, at) => (path === 'b' ? [at] : []));
    expect([begun.length, ofB]).toEqual([15, [2, 5, 8]]);
  });

  it('is named at a start with what would make it better', () => {
    const settings = { CONTENT_OCR_LANGUAGES: 'eng+fra', CONTENT_OCR_MAX_PAGES: 10 };
    expect(ocrNotice(undefined, settings)).toBe(
      'scanned pages: not read (apt-get install tesseract-ocr poppler-utils)',
    );
    expect(ocrNotice(installed, settings)).toBe('scanned pages: tesseract (eng)');
    expect(ocrNotice({ ...installed, missing: ['fra'], pdftoppm: undefined }, settings)).toBe(
      'scanned pages: tesseract (eng); pictures alone, not of PDFs: apt-get install poppler-utils; not in fra: apt-get install tesseract-ocr-fra',
    );
    expect(ocrNotice(undefined, { ...settings, CONTENT_OCR_MAX_PAGES: 0 })).toContain('CONTENT_OCR_MAX_PAGES=0');
  });
});
