import type { Extracted, ExtractionFailureCode } from '../domain/extraction.ts';

/** What the service sends to a process that reads documents; the bytes follow through a pipe of their own. */
export interface ReadCommand {
  readonly name: string;
  readonly declaredType?: string;
  readonly bytes: number;
}

/** Where a passage stands in the text, which is all that has to be sent of it. */
export type PassageRow = readonly [start: number, end: number, page: number | undefined];

/**
 * What comes back: texts and passages in pieces, so that none of them takes the service long, and then the rest or why not. What
 * the bytes are comes first, and stays known whatever then happens to the process.
 */
export type ReadReport =
  | { readonly kind: 'recognised'; readonly mediaType: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'passages'; readonly rows: readonly PassageRow[] }
  | { readonly kind: 'done'; readonly facts: Omit<Extracted, 'text' | 'passages'> }
  | {
      readonly kind: 'failed';
      readonly code: ExtractionFailureCode;
      readonly message: string;
      readonly canRetry: boolean;
      readonly mediaType: string | undefined;
      /** For the log. */
      readonly cause: string;
    };

/** The file descriptor by which a document's bytes come. */
export const bytesDescriptor = 4;
