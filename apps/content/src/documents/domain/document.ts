import type { Restrictable } from '../../access/domain/access.ts';

/** Where a document is on its way (D4). */
export type DocumentStatus = 'PENDING_UPLOAD' | 'UPLOADED' | 'PROCESSING' | 'READY' | 'FAILED' | 'EXPIRED' | 'ARCHIVED';

export type DocumentStage = 'READING' | 'EXTRACTING' | 'INDEXING';

export interface Failure {
  /** Stable, for programs. */
  readonly code: string;
  /** For people: what to do about it. */
  readonly message: string;
}

export interface Progress {
  readonly stage: DocumentStage;
  /** Of the whole, from 0 to 100. */
  readonly percent: number;
}

/** Somebody's word that a worker is at it; when it runs out, anybody may begin anew. */
export interface Lease {
  readonly holder: string;
  readonly until: Date;
}

export interface Document extends Restrictable {
  /** Chosen by the client: unique within its organisation alone. */
  readonly id: string;
  readonly name: string;
  readonly status: DocumentStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly collection: string;
  readonly description: string;
  /** Somebody wrote the description, so that no processing replaces it. */
  readonly describedByHand: boolean;
  readonly detailedDescription: string;
  /** What was said at the upload until it was read. */
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly checksum: string;
  readonly language: string;
  readonly pageCount: number | null;
  readonly numTokens: number;
  readonly contentIsCut: boolean;
  /** From 1; of a PDF. Absent of one that was read before it was looked at. */
  readonly pagesWithoutText?: readonly number[];
  readonly failure: Failure | null;
  readonly progress: Progress | null;

  /** Of its bytes and its text. One that is given up is never used again. */
  readonly objectKey: string;
  /** What the upload has to be. */
  readonly contentType: string;
  readonly uploadExpiresAt: Date;
  /** What an upload that is awaited may bring, where that is counted. */
  readonly reservedBytes?: number;
  /** What it is to be again after the archive. */
  readonly archivedFrom: DocumentStatus | null;
  /** Of a document whose upload is awaited: when to look for its bytes next. */
  readonly nextPollAt: Date | null;
  /** Of a document that is to be processed: when; while somebody is at it, when anybody else may. */
  readonly nextAttemptAt: Date | null;
  readonly lease: Lease | null;
  /** How often its processing has begun since it was last asked for. */
  readonly attempts: number;
}

/**
 * What is still to be done once a document has changed, whatever happens to the process that changed it: its passages are
 * brought in line with it, and what nothing refers to any more is removed.
 */
export interface FollowUp {
  readonly documentId: string;
  /** Of bytes and texts; they are never used again. */
  readonly objectKeys: readonly string[];
  /** Once more at this time, when nobody can be at work on them any longer; null: not again. */
  readonly againAt: Date | null;
  /** A copy that was going to be made: its bytes stay if the document has come to have them. */
  readonly isCopy?: boolean;
}

/** What it takes of the organisation's room. */
export function heldBytesOf({
  status,
  reservedBytes = 0,
  sizeBytes,
  failure,
}: Pick<Document, 'status' | 'reservedBytes' | 'sizeBytes' | 'failure'>): number {
  if (status === 'PENDING_UPLOAD') return reservedBytes;
  return status === 'EXPIRED' || failure?.code === TOO_LARGE_UPLOAD ? 0 : sizeBytes;
}

/** Why a document failed whose bytes were not kept. */
export const TOO_LARGE_UPLOAD = 'too_large_upload';

/** Of up to a mebibyte: it waits behind no larger one. */
export const isSmall = ({ sizeBytes }: Pick<Document, 'sizeBytes'>): boolean => sizeBytes <= 1024 * 1024;

/** It goes no further unless somebody asks for that. */
export const hasSettled = ({ status }: Document): boolean =>
  status === 'READY' || status === 'FAILED' || status === 'EXPIRED' || status === 'ARCHIVED';

/** Names how far it is: another name, and it has come further or begun anew. */
export function revisionOf({ status, updatedAt, progress }: Document): string {
  const at = updatedAt.getTime().toString(36);
  return progress ? `${at}.${status}.${progress.stage}.${progress.percent}` : `${at}.${status}`;
}

/** Of a document about which nothing is to be done. */
export const idle = { nextPollAt: null, nextAttemptAt: null, lease: null, progress: null } as const;

/** Of a document that somebody was at already, and that nobody is at now: whoever is free goes on with it from then on. */
export const requeued = (nextAttemptAt: Date) => ({ ...idle, status: 'PROCESSING', nextAttemptAt }) as const;
