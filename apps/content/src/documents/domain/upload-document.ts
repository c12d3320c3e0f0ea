import { decided, unchanged } from '@platform-backend/core';
import type { Restrictable } from '../../access/domain/access.ts';
import { cleanup, tooLargeUpload, type DocumentDecision, type ReceivedBytes } from './document-decision.ts';
import { documentEvent } from './document-events.ts';
import { recordMissingVersion, recordVersionUpload } from './document-versions.ts';
import {
  idle,
  objectKeysOf,
  withoutImport,
  type Document,
  type DocumentStatus,
  type VersionActor,
} from './document.ts';
import { documentArchived, documentExists, documentNotFound, urlExpired } from './errors.ts';
import { UPLOAD_GRACE_MS, URL_LIFETIME_MS } from './limits.ts';

export interface RequestUpload extends Pick<Document, 'id' | 'name' | 'contentType' | 'collection' | 'metadata'> {
  /** Of a document that is new: who has made it, and to whom it is restricted. */
  readonly made: Restrictable;
  /** Who brings the bytes; absent of an import from before that was noted. */
  readonly actor?: VersionActor | undefined;
  /** For the bytes, should the document need a new key for them. */
  readonly newKey: string;
  /** What it may bring, where that is counted. */
  readonly reservedBytes?: number | undefined;
  /** When to look for the bytes first. */
  readonly nextPollAt: Date;
}

/** Makes the document, or finds it again; what failed or expired begins anew (D30). */
export function requestUpload(
  document: Document | undefined,
  { newKey, nextPollAt, made, reservedBytes, metadata: known, actor, ...wanted }: RequestUpload,
  at: Date,
): DocumentDecision {
  const upload = {
    contentType: wanted.contentType,
    mediaType: wanted.contentType,
    uploadExpiresAt: new Date(at.getTime() + URL_LIFETIME_MS),
    nextPollAt,
    ...(reservedBytes !== undefined && { reservedBytes }),
  };
  const broughtBy = actor && { actor };
  if (!document) {
    const isNew: Document = {
      ...{ ...blank, ...wanted, ...upload, ...made },
      ...(known && Object.keys(known).length > 0 && { metadata: known }),
      ...{ objectKey: newKey, createdAt: at, updatedAt: at },
      ...(broughtBy && { current: { number: 1, createdAt: at, ...broughtBy } }),
    };
    return requested(null, isNew, at);
  }
  if (document.name !== wanted.name) throw documentExists();
  switch (document.status) {
    case 'ARCHIVED':
      throw documentArchived();
    case 'PENDING_UPLOAD': {
      // Who uploads it has no use for what would be fetched, nor for the room that was set aside for that.
      const awaited = withoutImport(document);
      // The URL of before may still bring as much as was granted with it.
      const held = Math.max(awaited.reservedBytes ?? 0, reservedBytes ?? 0);
      const again: Document = {
        ...{ ...awaited, ...upload, progress: null, updatedAt: at },
        ...(held > 0 && { reservedBytes: held }),
      };
      return requested(document, again, at);
    }
    case 'EXPIRED':
    case 'FAILED': {
      const {
        createdAt,
        description,
        describedByHand,
        access,
        createdBy,
        createdByKey,
        lastVersion,
        metadata,
        earlier,
        retentionExempt,
      } = document;
      const stays = {
        ...{ createdAt, description: describedByHand ? description : '', describedByHand },
        // What was said of who may open it, and of how long it is kept, holds on.
        ...(access && { access }),
        ...(retentionExempt && { retentionExempt }),
        ...(metadata && { metadata }),
        // What it had before can be had again.
        ...(earlier && { earlier }),
        ...(createdBy !== undefined && { createdBy }),
        ...(createdByKey !== undefined && { createdByKey }),
        // No number is given twice.
        ...(lastVersion === undefined
          ? broughtBy && { current: { number: 1, createdAt, ...broughtBy } }
          : { current: { number: lastVersion + 1, createdAt: at, ...broughtBy }, lastVersion: lastVersion + 1 }),
      };
      const anew: Document = { ...blank, ...wanted, ...upload, ...stays, objectKey: newKey, updatedAt: at };
      const kept = new Set(objectKeysOf(anew));
      const gone = objectKeysOf(document).filter((key) => !kept.has(key));
      return { ...requested(document, anew, at), followUp: cleanup(document, gone, at) };
    }
    // Its bytes are here; the same ones may come again.
    case 'UPLOADED':
    case 'PROCESSING':
    case 'READY':
      return unchanged(document);
  }
}

function requested(before: Document | null, document: Document, at: Date): DocumentDecision {
  const { name, contentType } = document;
  const data = { name, content_type: contentType, expires_at: document.uploadExpiresAt.toISOString() };
  return decided(document, documentEvent('document.upload_requested', document, at, { data, before }));
}

/** Since somebody had their bytes, or nobody wants them. */
const GONE_ON: ReadonlySet<DocumentStatus> = new Set(['UPLOADED', 'PROCESSING', 'READY', 'FAILED', 'ARCHIVED']);

/** The bytes are there. Whoever says so again, or too late, changes nothing. */
export function recordUpload(document: Document | undefined, received: ReceivedBytes, at: Date): DocumentDecision {
  const { incoming } = document ?? {};
  if (document && incoming?.objectKey === received.objectKey)
    return recordVersionUpload(document, incoming, received, at);
  // Somebody else has said so before, and they are elsewhere since.
  if (document && GONE_ON.has(document.status)) return unchanged(document);
  if (document?.objectKey !== received.objectKey) throw documentNotFound();
  if (document.status === 'EXPIRED') throw urlExpired();
  const { objectKey, settledKey = objectKey, bytes, maxBytes, checksum } = received;
  const next: Document = {
    ...document,
    ...idle,
    objectKey: settledKey,
    status: 'UPLOADED',
    updatedAt: at,
    sizeBytes: bytes,
    checksum,
    failure: null,
    attempts: 0,
    nextAttemptAt: at,
  };
  const { name, mediaType } = next;
  const told = { name, media_type: mediaType, size_bytes: bytes };
  const uploaded = documentEvent('document.uploaded', next, at, { data: told, before: document });
  // By the URL others may come where they were uploaded to.
  const leftBehind = settledKey === objectKey ? {} : { followUp: cleanup(next, [objectKey], at) };
  if (bytes <= maxBytes) return { ...decided(next, uploaded), ...leftBehind };

  const failure = tooLargeUpload(maxBytes);
  const failed: Document = { ...next, ...idle, status: 'FAILED', failure };
  const data = { name, ...failure };
  return {
    state: failed,
    events: [documentEvent('document.failed', failed, at, { data, before: document })],
    result: failed,
    followUp: cleanup(failed, [failed.objectKey], at),
  };
}

/** A new document whose bytes are there already. */
export function addDocument(
  wanted: Omit<RequestUpload, 'nextPollAt' | 'newKey'>,
  received: ReceivedBytes,
  at: Date,
): DocumentDecision {
  const asked = requestUpload(undefined, { ...wanted, newKey: received.objectKey, nextPollAt: at }, at);
  const added = recordUpload(asked.state, received, at);
  return { ...added, events: [...asked.events, ...added.events] };
}

/** Nobody has uploaded anything: the document expires, or is looked for again at `nextPoll`. */
export function recordMissingUpload(
  document: Document | undefined,
  nextPoll: Date,
  at: Date,
): DocumentDecision<Document | undefined> {
  if (document?.incoming?.status === 'PENDING_UPLOAD')
    return recordMissingVersion(document, document.incoming, nextPoll, at);
  if (document?.status !== 'PENDING_UPLOAD') return unchanged(document);
  if (at.getTime() < document.uploadExpiresAt.getTime() + UPLOAD_GRACE_MS) {
    const waiting: Document = { ...document, nextPollAt: nextPoll };
    return decided(waiting);
  }
  return expired(document, at);
}

/** The upload is not to come after all, whatever its URL says: there is no room for it. */
export function refuseUpload(
  document: Document | undefined,
  objectKey: string,
  at: Date,
): DocumentDecision<Document | undefined> {
  const isAwaited = document?.status === 'PENDING_UPLOAD' && document.objectKey === objectKey;
  return isAwaited ? expired(document, at) : unchanged(document);
}

function expired(document: Document, at: Date): DocumentDecision {
  const gone: Document = { ...document, ...idle, status: 'EXPIRED', updatedAt: at };
  const data = { name: gone.name };
  return {
    state: gone,
    events: [documentEvent('document.expired', gone, at, { data, before: document })],
    result: gone,
    followUp: cleanup(gone, [gone.objectKey], at),
  };
}

const blank = {
  ...idle,
  status: 'PENDING_UPLOAD',
  description: '',
  describedByHand: false,
  detailedDescription: '',
  sizeBytes: 0,
  checksum: '',
  language: '',
  pageCount: null,
  numTokens: 0,
  contentIsCut: false,
  pagesWithoutText: [],
  failure: null,
  archivedFrom: null,
  attempts: 0,
} as const;
