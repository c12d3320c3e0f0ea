import type { Decision } from '@platform-backend/core';
import type { ContentEvent } from '../../events.ts';
import { TOO_LARGE_UPLOAD, type Document, type Failure, type FollowUp } from './document.ts';
import { documentNotFound } from './errors.ts';
import { CLEANUP_REPEAT_MS } from './limits.ts';

export type DocumentDecision<State = Document, Result = State> = Decision<State, ContentEvent, Result> & {
  readonly followUp?: FollowUp;
};

export interface ReceivedBytes {
  /** Where they were uploaded to. */
  readonly objectKey: string;
  /** Where they are; absent: there. */
  readonly settledKey?: string;
  readonly bytes: number;
  readonly maxBytes: number;
  /** Empty where nobody has counted it yet. */
  readonly checksum: string;
}

export function existing(document: Document | undefined): Document {
  if (!document) throw documentNotFound();
  return document;
}

/** What becomes of bytes that nobody needs any more, and of the passages made of them. */
export const cleanup = ({ id }: Document, objectKeys: readonly string[], at: Date): FollowUp => ({
  documentId: id,
  objectKeys,
  againAt: new Date(at.getTime() + CLEANUP_REPEAT_MS),
});

export const tooLargeUpload = (maxBytes: number): Failure => ({
  code: TOO_LARGE_UPLOAD,
  message: `The file is larger than ${maxBytes} bytes. Upload a smaller one, or parts of it.`,
});
