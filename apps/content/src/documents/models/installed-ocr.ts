import { findOnPath } from '@platform-backend/system-programs';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What there is on this machine to read pictures with. */
export interface InstalledOcr {
  readonly tesseract: string;
  /** Where its languages lie. */
  readonly dataFolder: string;
  /** Those that are asked for and there, as tesseract names them. */
  readonly languages: readonly string[];
  /** Those that are asked for and are not there. */
  readonly missing: readonly string[];
  /** It can find out which way up a page lies. */
  readonly turnsPages: boolean;
  /** What makes pictures of the pages of a PDF; undefined: these are not read. */
  readonly pdftoppm: string | undefined;
}

export interface OcrChoice {
  readonly CONTENT_OCR_LANGUAGES: string;
  readonly CONTENT_OCR_MAX_PAGES: number;
}

const run = promisify(execFile);
const ASK_TIMEOUT_MS = 30_000;
const INSTALL_TESSERACT = 'apt-get install tesseract-ocr';
const INSTALL_POPPLER = 'apt-get install poppler-utils';

/** Undefined: no picture is read here, since that is turned off, or there is no tesseract with one of the languages. */
export async function installedOcr(
  { CONTENT_OCR_LANGUAGES: asked, CONTENT_OCR_MAX_PAGES: maxPages }: OcrChoice,
  { PATH = '' }: NodeJS.ProcessEnv = process.env,
): Promise<InstalledOcr | undefined> {
  const tesseract = findOnPath('tesseract', { PATH });
  if (tesseract === undefined || maxPages === 0) return undefined;
  const { stdout } = await run(tesseract, ['--list-langs'], { timeout: ASK_TIMEOUT_MS }).catch(() => ({ stdout: '' }));
  const [, dataFolder] = /"([^"]+)"/.exec(stdout) ?? [];
  const there = new Set(
    stdout
      .split('\n')
      .slice(1)
      .map((line) => line.trim()),
  );
  const named = [...new Set(asked.split('+'))];
  const languages = named.filter((language) => there.has(language));
  if (dataFolder === undefined || languages.length === 0) return undefined;
  return {
    ...{ tesseract, dataFolder, languages, missing: named.filter((language) => !there.has(language)) },
    ...{ turnsPages: there.has('osd'), pdftoppm: findOnPath('pdftoppm', { PATH }) },
  };
}

/** What is read of pictures and what would make it better, for the line at a start. */
export function ocrNotice(installed: InstalledOcr | undefined, { CONTENT_OCR_MAX_PAGES: maxPages }: OcrChoice): string {
  if (maxPages === 0) return 'scanned pages: not read (CONTENT_OCR_MAX_PAGES=0)';
  if (!installed) return `scanned pages: not read (${INSTALL_TESSERACT} poppler-utils)`;
  const { languages, missing, pdftoppm } = installed;
  const lacks = [
    ...(pdftoppm === undefined ? [`pictures alone, not of PDFs: ${INSTALL_POPPLER}`] : []),
    ...(missing.length > 0 ? [`not in ${missing.join(', ')}: ${INSTALL_TESSERACT}-${missing[0]}`] : []),
  ];
  return `scanned pages: tesseract (${languages.join('+')})${lacks.map((lack) => `; ${lack}`).join('')}`;
}
