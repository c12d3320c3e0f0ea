import { MAX_HEADING } from '../../passages/extraction/split-passages.ts';
import { extractionFailureCodes, type Extracted, type ExtractionFailureCode } from '../domain/extraction.ts';
import { limits } from './limits.ts';

/** The descriptor of the pipe to a process that reads documents, of that process. */
export const READER_PIPE = 4;

/** What the service sends: a document, whose bytes follow behind the message, or that it shall load all that it may need. */
export type ReadCommand =
  | {
      readonly name: string;
      readonly declaredType?: string | undefined;
      readonly bytes: number;
      /** Media types of files of which the service can have pages read that are pictures. */
      readonly ocr: readonly string[];
    }
  | 'load';

/** What the service sends for each of the `pictures`, in their order. */
export interface PictureText {
  readonly text: string;
}

/** A page that is a picture: its number from 1, and its size. */
export type PictureRow = readonly [page: number, width: number, height: number];

/** Where a passage stands in the text, which is all that has to be sent of it. */
export type PassageRow = readonly [start: number, end: number, page: number, heading: string];

export type ExtractedFacts = Omit<Extracted, 'text' | 'passages'>;

/**
 * What comes back: texts and passages in pieces, so that none of them takes the service long, and then the rest or why not. What
 * the bytes are comes first, and stays known whatever then happens to the process.
 */
export type ReadReport =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'recognised'; readonly mediaType: string }
  /** Once, of a file whose text is to be read from pictures. It waits for the text of each. */
  | { readonly kind: 'pictures'; readonly pages: readonly PictureRow[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'passages'; readonly rows: readonly PassageRow[] }
  | { readonly kind: 'done'; readonly facts: ExtractedFacts }
  | {
      readonly kind: 'failed';
      readonly code: ExtractionFailureCode;
      readonly message: string;
      readonly canRetry: boolean;
      readonly mediaType?: string | undefined;
      /** For the log. */
      readonly cause: string;
    };

/** Of one report. A piece of text has at most six bytes for each of its characters. */
export const REPORT_BYTES = 2 * 1024 * 1024;
export const TEXT_PIECE = 256 * 1024;
export const PASSAGES_PIECE = 1_000;

/** A document may have taken its reader over: what that says is believed only where a reader could say it. */
export function isReadReport(report: unknown): report is ReadReport {
  if (!isRecord(report)) return false;
  switch (report['kind']) {
    case 'loaded':
      return true;
    case 'recognised':
      return isMediaType(report['mediaType']);
    case 'pictures':
      return (
        Array.isArray(report['pages']) && report['pages'].length <= limits.pages && report['pages'].every(isPicture)
      );
    case 'text':
      return isText(report['text'], TEXT_PIECE);
    case 'passages':
      return Array.isArray(report['rows']) && report['rows'].length <= PASSAGES_PIECE && report['rows'].every(isRow);
    case 'done':
      return isRecord(report['facts']) && areFacts(report['facts']);
    case 'failed':
      return (
        extractionFailureCodes.some((code) => code === report['code']) &&
        isText(report['message'], 1_000) &&
        typeof report['canRetry'] === 'boolean' &&
        (report['mediaType'] === undefined || isMediaType(report['mediaType'])) &&
        typeof report['cause'] === 'string'
      );
    default:
      return false;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isMediaType = (value: unknown): boolean => isText(value, 255) && /^[\w.+-]+\/[\w.+-]+$/.test(value);
const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value.length <= maxLength;

function isPicture(row: unknown): row is PictureRow {
  if (!Array.isArray(row) || row.length !== 3) return false;
  const [page, width, height] = row as readonly unknown[];
  return isCount(page) && page >= 1 && page <= limits.pages && isCount(width) && isCount(height);
}

function isRow(row: unknown): row is PassageRow {
  if (!Array.isArray(row) || row.length !== 4) return false;
  const [start, end, page, heading] = row as readonly unknown[];
  if (!isCount(start) || !isCount(end) || !isCount(page) || !isText(heading, MAX_HEADING)) return false;
  return start < end && end <= limits.textLength;
}

function areFacts(facts: Record<string, unknown>): boolean {
  const { mediaType, pages, pagesWithoutText, title, language, numTokens, description, detailedDescription } = facts;
  return (
    isMediaType(mediaType) &&
    (pages === undefined || isCount(pages)) &&
    (pagesWithoutText === undefined ||
      (Array.isArray(pagesWithoutText) &&
        pagesWithoutText.length <= limits.pages &&
        pagesWithoutText.every(isCount))) &&
    (title === undefined || isText(title, 1_000)) &&
    (language === undefined || (isText(language, 3) && /^[a-z]{2,3}$/.test(language))) &&
    isCount(numTokens) &&
    isText(description, 300) &&
    isText(detailedDescription, 2_000)
  );
}
