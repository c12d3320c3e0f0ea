import type { Restrictable } from '../../access/domain/access.ts';
import type { Metadata } from './metadata.ts';

/** Where a document is on its way (D4). */
export type DocumentStatus = 'PENDING_UPLOAD' | 'UPLOADED' | 'PROCESSING' | 'READY' | 'FAILED' | 'EXPIRED' | 'ARCHIVED';

export type DocumentStage = 'FETCHING' | 'READING' | 'EXTRACTING' | 'INDEXING';

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

/** What a document has or has had: bytes, and who brought them. */
export interface DocumentVersion {
  /** From 1; none is given twice. */
  readonly number: number;
  readonly createdAt: Date;
  /** Absent of a first one from before that was noted. */
  readonly actor?: VersionActor;
  readonly name: string;
  readonly contentType: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly checksum: string;
  /** Of one that was restored the same as of that from which it was. */
  readonly objectKey: string;
  /** The number of that one. */
  readonly restoredFrom?: number;
}

export interface VersionActor {
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

/** One that is to take the place of what the document has, once it has been read. */
export interface IncomingVersion extends DocumentVersion {
  readonly status: 'PENDING_UPLOAD' | 'UPLOADED' | 'PROCESSING' | 'FAILED';
  /** Of one that is uploaded. */
  readonly uploadExpiresAt?: Date;
  /** As that of a document. */
  readonly reservedBytes?: number;
  readonly failure: Failure | null;
  readonly progress: Progress | null;
}

/** Which of its versions a document has; the rest of it stands in the document. */
export type CurrentVersion = Pick<DocumentVersion, 'number' | 'createdAt' | 'actor' | 'restoredFrom'>;

export interface Document extends Restrictable {
  /** Chosen by the client: unique within its organisation alone. */
  readonly id: string;
  readonly name: string;
  readonly status: DocumentStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly collection: string;
  /** Absent: nothing. */
  readonly metadata?: Metadata;
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
  /** Of one whose bytes are fetched from an address, or could not be: the item of an import that does that, and that import. */
  readonly importItemId?: string;
  readonly importId?: string;
  /** What it is to be again after the archive. */
  readonly archivedFrom: DocumentStatus | null;
  /** Of a document whose upload is awaited: when to look for its bytes next. */
  readonly nextPollAt: Date | null;
  /** Of a document that is to be processed: when; while somebody is at it, when anybody else may. */
  readonly nextAttemptAt: Date | null;
  readonly lease: Lease | null;
  /** How often its processing has begun since it was last asked for. */
  readonly attempts: number;
  /** It is kept whatever the retention policy says; absent: it is not. */
  readonly retentionExempt?: boolean;

  /** Absent: the first. */
  readonly current?: CurrentVersion;
  /** Oldest first; absent: none. */
  readonly earlier?: readonly DocumentVersion[];
  /** While the document is READY or FAILED its times, lease and attempts are those of this one. */
  readonly incoming?: IncomingVersion;
  /** The highest number that was given to any; absent: 1. */
  readonly lastVersion?: number;
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

/** What it takes of the organisation's room, with all its versions; bytes that several of them have are there once. */
export function heldBytesOf(
  document: Pick<
    Document,
    'status' | 'archivedFrom' | 'reservedBytes' | 'sizeBytes' | 'failure' | 'objectKey' | 'earlier' | 'incoming'
  >,
): number {
  const { earlier = [], incoming, objectKey } = document;
  const held = new Map(earlier.map((version) => [version.objectKey, version.sizeBytes]));
  held.set(objectKey, ownBytesOf(document));
  if (incoming && !held.has(incoming.objectKey)) held.set(incoming.objectKey, ownBytesOf(incoming));
  return [...held.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function ownBytesOf({
  status,
  archivedFrom = null,
  reservedBytes = 0,
  sizeBytes,
  failure,
}: Pick<Document | IncomingVersion, 'status' | 'reservedBytes' | 'sizeBytes' | 'failure'> &
  Partial<Pick<Document, 'archivedFrom'>>): number {
  if (isReserved({ status, archivedFrom })) return reservedBytes;
  return status === 'EXPIRED' || hasNoBytes(failure) ? 0 : sizeBytes;
}

/** Room is set aside for what its URL may still bring, in the archive as well: the document may come back. */
export const isReserved = ({ status, archivedFrom }: Pick<Document, 'status' | 'archivedFrom'>): boolean =>
  status === 'PENDING_UPLOAD' || (status === 'ARCHIVED' && archivedFrom === 'PENDING_UPLOAD');

/** Why a document failed whose bytes were not kept. */
export const TOO_LARGE_UPLOAD = 'too_large_upload';
/** Why a version failed that was never uploaded. */
export const UPLOAD_EXPIRED = 'upload_expired';

export const hasNoBytes = (failure: Failure | null): boolean =>
  failure?.code === TOO_LARGE_UPLOAD || failure?.code === UPLOAD_EXPIRED;

/** Its bytes came, and were kept. */
export const hasBytes = ({
  sizeBytes,
  checksum,
  failure = null,
}: Pick<Document, 'sizeBytes' | 'checksum'> & { readonly failure?: Failure | null }): boolean =>
  (sizeBytes > 0 || checksum !== '') && !hasNoBytes(failure);

/** Nothing is fetched for it any more. There is no URL by which that could still come, so room for it is held no longer. */
export function withoutImport(document: Document): Document {
  if (document.importItemId === undefined) return document;
  const { importItemId: _item, importId: _import, reservedBytes: _room, ...stays } = document;
  return stays;
}

/** The keys of all bytes and texts that it has. */
export const objectKeysOf = ({ objectKey, earlier = [], incoming }: Document): readonly string[] => [
  ...new Set([objectKey, ...earlier.map((version) => version.objectKey), ...(incoming ? [incoming.objectKey] : [])]),
];

/** Where bytes are awaited, of the document or of a version that is coming. */
export function awaitedKeyOf({ status, objectKey, incoming }: Document): string | undefined {
  if (status === 'PENDING_UPLOAD') return objectKey;
  return incoming?.status === 'PENDING_UPLOAD' ? incoming.objectKey : undefined;
}

export const versionNumberOf = ({ current }: Pick<Document, 'current'>): number => current?.number ?? 1;

/** Which of its bytes are to be read: those it has, or those of a version that is coming. */
export function toBeRead({ status, incoming }: Document): 'document' | 'version' | undefined {
  if (status === 'UPLOADED' || status === 'PROCESSING') return 'document';
  if (status !== 'READY' && status !== 'FAILED') return undefined;
  return incoming?.status === 'UPLOADED' || incoming?.status === 'PROCESSING' ? 'version' : undefined;
}

/** The document as it will be called and filed once what is to be read has been. */
export function asRead(document: Document): Document {
  const { incoming } = document;
  if (!incoming || toBeRead(document) !== 'version') return document;
  const { name, contentType, mediaType, sizeBytes, checksum, objectKey } = incoming;
  return { ...document, name, contentType, mediaType, sizeBytes, checksum, objectKey };
}

/** Of up to a mebibyte: it waits behind no larger one. */
export const isSmall = (document: Document): boolean => asRead(document).sizeBytes <= 1024 * 1024;

/** It goes no further unless somebody asks for that. */
export const hasSettled = ({ status, incoming }: Document): boolean =>
  status === 'EXPIRED' ||
  status === 'ARCHIVED' ||
  ((status === 'READY' || status === 'FAILED') && (incoming?.status ?? 'FAILED') === 'FAILED');

/** Names how far it is: another name, and it has come further or begun anew. */
export function revisionOf({ status, updatedAt, progress, incoming }: Document): string {
  const at = updatedAt.getTime().toString(36);
  const own = progress ? `${at}.${status}.${progress.stage}.${progress.percent}` : `${at}.${status}`;
  if (!incoming) return own;
  const { stage = '', percent = 0 } = incoming.progress ?? {};
  return `${own}.${incoming.number}.${incoming.status}.${stage}.${percent}`;
}

/** Of a document about which nothing is to be done. */
export const idle = { nextPollAt: null, nextAttemptAt: null, lease: null, progress: null } as const;

/** As `idle`, but for a version that is coming, which is gone on with now. */
export function settled({ incoming }: Document, at: Date) {
  switch (incoming?.status) {
    case 'PENDING_UPLOAD':
      return { ...idle, nextPollAt: at };
    case 'UPLOADED':
    case 'PROCESSING':
      return { ...idle, nextAttemptAt: at, attempts: 0 };
    case 'FAILED':
    case undefined:
      return idle;
  }
}

/** Of a document that somebody was at already, and that nobody is at now: whoever is free goes on with it from then on. */
export const requeued = (nextAttemptAt: Date) => ({ ...idle, status: 'PROCESSING', nextAttemptAt }) as const;
