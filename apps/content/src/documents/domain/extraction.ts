import type { Passage } from '../../passages/domain/passage.ts';

export interface FileToExtract {
  readonly path: string;
  /** As its owner calls it. It decides only among formats of plain text, which look the same from within. */
  readonly name: string;
  /** Media type that was claimed when it was uploaded; decides as little as the name. */
  readonly declaredType?: string;
}

/** What a document says. The texts are the document's own words: none of them is invented. */
export interface Extracted {
  /** What the bytes are, whatever was claimed. */
  readonly mediaType: string;
  /** Pages, slides or sheets; absent where the format has none. */
  readonly pages?: number;
  /** Of a PDF or pictures, from 1: pages of which nothing could be read. */
  readonly pagesWithoutText?: readonly number[];
  /** What the document calls itself, where it does. */
  readonly title?: string;
  readonly text: string;
  /** ISO 639-1; absent where it cannot be told. */
  readonly language?: string;
  /** Of the whole text, by the encoding o200k_base. */
  readonly numTokens: number;
  /** At most 300 characters, on one line. */
  readonly description: string;
  /** At most 2,000 characters. */
  readonly detailedDescription: string;
  /** In order; `text.slice(start, end)` is the text of each. */
  readonly passages: readonly Passage[];
}

/**
 * Reads a document. Whatever the bytes are, it ends: with what they say, with an `ExtractionFailure`, or with the reason
 * of the signal.
 */
export type ExtractDocument = (file: FileToExtract, options: ExtractOptions) => Promise<Extracted>;

export interface ExtractOptions {
  /** Whose document it is: what reads it has read those of nobody else. */
  readonly organisationId: string;
  readonly signal: AbortSignal;
  /** Milliseconds after which no further page that is a picture is begun; without it, all are that may be. */
  readonly ocrTimeoutMs?: number;
  /** Hears how many of the pages that are pictures have been read. */
  readonly onPicture?: (read: number, all: number) => void;
}

export const extractionFailureCodes = [
  'empty_file',
  'unsupported_type',
  'encrypted',
  'damaged',
  'no_text',
  'too_large',
  /** It needed more memory than one document may take. */
  'too_complex',
  'too_slow',
  /** The reader of this document ended, and nobody knows why. */
  'reader_failed',
  /** Too many documents wait already, or the service stops. */
  'busy',
] as const;

export type ExtractionFailureCode = (typeof extractionFailureCodes)[number];

interface ExtractionFailureOptions {
  readonly canRetry?: boolean;
  readonly cause?: unknown;
  readonly mediaType?: string | undefined;
}

/** Why a document could not be read. */
export class ExtractionFailure extends Error {
  override readonly name = 'ExtractionFailure';
  readonly code: ExtractionFailureCode;
  /** Whether the same file may succeed another time. */
  readonly canRetry: boolean;
  /** What the bytes are, as far as it was found out. */
  readonly mediaType: string | undefined;

  /** `message` is for the owner of the document and says what to do. */
  constructor(
    code: ExtractionFailureCode,
    message: string,
    { canRetry = false, cause, mediaType }: ExtractionFailureOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.canRetry = canRetry;
    this.mediaType = mediaType;
  }

  /** The same, of bytes that are of this type. */
  of(mediaType: string | undefined): ExtractionFailure {
    const { code, message, canRetry, cause } = this;
    return new ExtractionFailure(code, message, { canRetry, cause, mediaType });
  }
}
