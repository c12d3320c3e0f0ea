import { decided, unchanged, type Actor } from '@platform-backend/core';
import { cleanup, existing, type DocumentDecision, type ReceivedBytes, tooLargeUpload } from './document-decision.ts';
import { documentEvent } from './document-events.ts';
import {
  hasBytes,
  hasNoBytes,
  idle,
  objectKeysOf,
  UPLOAD_EXPIRED,
  versionNumberOf,
  type Document,
  type DocumentVersion,
  type Failure,
  type IncomingVersion,
  type VersionActor,
} from './document.ts';
import {
  documentArchived,
  documentHasNoBytes,
  documentNotRead,
  urlExpired,
  versionInProgress,
  versionIsCurrent,
  versionNotFound,
} from './errors.ts';
import { UPLOAD_GRACE_MS, URL_LIFETIME_MS } from './limits.ts';

/** What the document has now, as one of its versions. */
export function currentVersion(document: Document): DocumentVersion {
  const { name, contentType, mediaType, sizeBytes, checksum, objectKey, createdAt, createdBy, createdByKey } = document;
  const made = createdByKey ?? createdBy;
  const first = {
    ...{ number: 1, createdAt },
    ...(made !== undefined && { actor: { type: createdByKey === undefined ? 'user' : 'api_key', id: made, name: '' } }),
  };
  return { ...(document.current ?? first), name, contentType, mediaType, sizeBytes, checksum, objectKey };
}

/** All that there are, newest first. */
export const versionsOf = (document: Document): readonly (DocumentVersion | IncomingVersion)[] => [
  ...(document.incoming ? [document.incoming] : []),
  currentVersion(document),
  ...(document.earlier ?? []).toReversed(),
];

export function versionOf(document: Document, number: number): DocumentVersion | IncomingVersion {
  const found = versionsOf(document).find((version) => version.number === number);
  if (!found) throw versionNotFound();
  return found;
}

export const isIncoming = (version: DocumentVersion | IncomingVersion): version is IncomingVersion =>
  'status' in version;

export const actorOf = ({ type, id, name }: Actor): VersionActor => ({ type, id, name });

export interface RequestVersion {
  readonly actor: VersionActor;
  /** Empty: as it is. */
  readonly name: string;
  readonly contentType: string;
  /** For the bytes, should the version be a new one. */
  readonly newKey: string;
  readonly reservedBytes?: number | undefined;
  /** When to look for the bytes first. */
  readonly nextPollAt: Date;
}

/** Awaits the bytes of a new version, or those of one that is awaited for longer. */
export function requestVersion(
  document: Document | undefined,
  { nextPollAt, newKey, reservedBytes, name, ...wanted }: RequestVersion,
  at: Date,
): DocumentDecision {
  const present = open(document);
  const { incoming } = present;
  const upload = {
    name: name === '' ? present.name : name,
    contentType: wanted.contentType,
    mediaType: wanted.contentType,
    uploadExpiresAt: new Date(at.getTime() + URL_LIFETIME_MS),
  };
  if (incoming?.status === 'PENDING_UPLOAD') {
    // The URL of before may still bring as much as was granted with it.
    const held = Math.max(incoming.reservedBytes ?? 0, reservedBytes ?? 0);
    const again = { ...incoming, ...upload, ...(held > 0 && { reservedBytes: held }) };
    return requested(present, again, { nextPollAt }, at);
  }
  const number = nextNumber(present);
  const coming: IncomingVersion = {
    ...{ ...upload, number, createdAt: at, actor: wanted.actor, objectKey: newKey },
    ...{ status: 'PENDING_UPLOAD', sizeBytes: 0, checksum: '', failure: null, progress: null },
    ...(reservedBytes !== undefined && { reservedBytes }),
  };
  return requested(present, coming, { ...idle, nextPollAt }, at);
}

/** Has the bytes of an earlier version read as a new one, or those of one that has failed read once more. Nothing happens where it has these bytes, or is getting them: it may be said again. */
export function restoreVersion(
  document: Document | undefined,
  number: number,
  actor: VersionActor,
  at: Date,
): DocumentDecision {
  const known = existing(document);
  const found = versionOf(known, number);
  const { incoming } = known;
  if (isBeingRead(known) && (incoming?.restoredFrom === number || incoming?.number === number)) return unchanged(known);
  const present = open(known);
  if (found.objectKey === present.objectKey) return unchanged(present);
  if (isIncoming(found) && found.status === 'FAILED') return retryVersion(present, found, at);
  if (isIncoming(found) || present.incoming?.status === 'PENDING_UPLOAD') throw versionInProgress();
  const { name, contentType, mediaType, sizeBytes, checksum, objectKey } = found;
  const coming: IncomingVersion = {
    ...{ number: nextNumber(present), createdAt: at, actor, restoredFrom: number },
    ...{ name, contentType, mediaType, sizeBytes, checksum, objectKey },
    ...{ status: 'UPLOADED', failure: null, progress: null },
  };
  return requested(present, coming, { ...idle, nextAttemptAt: at, attempts: 0 }, at);
}

function requested(present: Document, coming: IncomingVersion, times: Partial<Document>, at: Date): DocumentDecision {
  const next: Document = { ...present, ...times, incoming: coming, lastVersion: coming.number, updatedAt: at };
  const data = { ...named(coming), restored_from: coming.restoredFrom ?? null };
  return {
    ...decided(next, documentEvent('document.version_requested', next, at, { data, before: present })),
    // Of one that has failed.
    ...dropped(present, next, at),
  };
}

/** The bytes of the version are there. Whoever says so again changes nothing. FORBIDDEN: too late, it has failed as nothing had come. */
export function recordVersionUpload(
  document: Document,
  incoming: IncomingVersion,
  { objectKey, settledKey = objectKey, bytes, maxBytes, checksum }: ReceivedBytes,
  at: Date,
): DocumentDecision {
  if (incoming.failure?.code === UPLOAD_EXPIRED) throw urlExpired();
  if (incoming.status !== 'PENDING_UPLOAD') return unchanged(document);
  const came = { ...incoming, objectKey: settledKey, sizeBytes: bytes, checksum };
  if (bytes > maxBytes) {
    const failed = versionFailed(document, came, tooLargeUpload(maxBytes), at);
    const keys = [...new Set([objectKey, settledKey])];
    return { ...failed, followUp: cleanup(document, keys, at) };
  }
  const isRead = document.status === 'READY' || document.status === 'FAILED';
  const next: Document = {
    ...document,
    // What it has is read first, should it have to be once more.
    ...(isRead && { ...idle, nextAttemptAt: at, attempts: 0 }),
    incoming: { ...came, status: 'UPLOADED' },
    updatedAt: at,
  };
  const data = { ...named(came), size_bytes: bytes };
  return {
    ...decided(next, documentEvent('document.version_uploaded', next, at, { data, before: document })),
    // By the URL others may come where they were uploaded to.
    ...(settledKey !== objectKey && { followUp: cleanup(next, [objectKey], at) }),
  };
}

/** Nobody has uploaded it: it is looked for again at `nextPoll`, or fails. */
export function recordMissingVersion(
  document: Document,
  incoming: IncomingVersion,
  nextPoll: Date,
  at: Date,
): DocumentDecision {
  if (at.getTime() < (incoming.uploadExpiresAt?.getTime() ?? 0) + UPLOAD_GRACE_MS)
    return decided({ ...document, nextPollAt: nextPoll });
  return {
    ...versionFailed(document, incoming, NEVER_CAME, at),
    followUp: cleanup(document, [incoming.objectKey], at),
  };
}

const NEVER_CAME: Failure = {
  code: UPLOAD_EXPIRED,
  message: 'Nothing was uploaded while the URL lived. Ask for a new version once more.',
};

/** The version is not to come after all, whatever its URL says: there is no room for it. */
export function refuseVersion(
  document: Document | undefined,
  objectKey: string,
  at: Date,
): DocumentDecision<Document | undefined> {
  const isAwaited = document?.incoming?.status === 'PENDING_UPLOAD' && document.incoming.objectKey === objectKey;
  return isAwaited ? givenUp(document, document.incoming.number, at) : unchanged(document);
}

/** Has a version that failed read once more. */
export function retryVersion(present: Document, incoming: IncomingVersion, at: Date): DocumentDecision {
  if (hasNoBytes(incoming.failure)) throw documentHasNoBytes();
  const again: IncomingVersion = { ...incoming, status: 'UPLOADED', failure: null, progress: null };
  const next: Document = { ...present, ...idle, nextAttemptAt: at, attempts: 0, incoming: again, updatedAt: at };
  return decided(next, documentEvent('document.retried', next, at, { data: { name: next.name }, before: present }));
}

/** Removes an earlier version, or gives up one that is coming; whoever reads it finds that out. */
export function deleteVersion(document: Document | undefined, number: number, at: Date): DocumentDecision {
  const present = existing(document);
  const version = versionOf(present, number);
  if (number === versionNumberOf(present)) throw versionIsCurrent();
  return givenUp(present, version.number, at);
}

function givenUp(present: Document, number: number, at: Date): DocumentDecision {
  const isComing = present.incoming?.number === number;
  const isWorkedOn = isComing && (present.status === 'READY' || present.status === 'FAILED');
  const earlier = present.earlier?.filter((version) => version.number !== number) ?? [];
  const next: Document = {
    ...(isComing ? withoutIncoming(present) : withEarlier(present, earlier)),
    ...(isWorkedOn && idle),
    updatedAt: at,
  };
  const data = { name: present.name, version: number };
  return {
    ...decided(next, documentEvent('document.version_deleted', next, at, { data, before: present })),
    ...dropped(present, next, at),
  };
}

/** The document with the failure of its version; it stays what it was. */
export function versionFailed(
  document: Document,
  incoming: IncomingVersion,
  failure: Failure,
  at: Date,
): DocumentDecision {
  const { reservedBytes: _none, ...rest } = incoming;
  const failed: IncomingVersion = { ...rest, status: 'FAILED', failure, progress: null };
  const isWorkedOn = document.status === 'READY' || document.status === 'FAILED';
  const next: Document = { ...document, ...(isWorkedOn && idle), incoming: failed, updatedAt: at };
  const data = { ...named(incoming), ...failure };
  return decided(next, documentEvent('document.version_failed', next, at, { data, before: document }));
}

/** The document as its version says, which is READY; of what it was so many are kept, with it. */
export function swapped(
  document: Document,
  incoming: IncomingVersion,
  facts: Partial<Document>,
  { maxVersions, at }: { readonly maxVersions: number; readonly at: Date },
): DocumentDecision {
  const { number, createdAt, actor, restoredFrom, name, contentType, objectKey } = incoming;
  const was = hasBytes(document) ? [currentVersion(document)] : [];
  const versions = [...(document.earlier ?? []), ...was];
  const next: Document = {
    ...withEarlier(withoutIncoming(document), versions.slice(Math.max(0, versions.length - (maxVersions - 1)))),
    ...facts,
    ...idle,
    ...{ name, contentType, objectKey },
    current: { number, createdAt, ...(actor && { actor }), ...(restoredFrom !== undefined && { restoredFrom }) },
    status: 'READY',
    failure: null,
    updatedAt: at,
  };
  const { mediaType, sizeBytes } = next;
  const data = {
    ...named(incoming),
    ...{ restored_from: restoredFrom ?? null, media_type: mediaType, size_bytes: sizeBytes },
  };
  return {
    ...decided(next, documentEvent('document.version_ready', next, at, { data, before: document })),
    ...dropped(document, next, at),
  };
}

export function withoutIncoming(document: Document): Document {
  const { incoming: _gone, ...rest } = document;
  return rest;
}

function withEarlier(document: Document, earlier: readonly DocumentVersion[]): Document {
  const { earlier: _before, ...rest } = document;
  return { ...rest, ...(earlier.length > 0 && { earlier }) };
}

/** What follows where some bytes are nobody's any more. */
function dropped(before: Document, after: Document, at: Date): Pick<DocumentDecision, 'followUp'> {
  const kept = new Set(objectKeysOf(after));
  const keys = objectKeysOf(before).filter((key) => !kept.has(key));
  return keys.length > 0 ? { followUp: cleanup(after, keys, at) } : {};
}

/** One that a version may come for, and for which none is coming. */
function open(document: Document | undefined): Document {
  const present = existing(document);
  if (present.status === 'ARCHIVED') throw documentArchived();
  if (present.status !== 'READY' && present.status !== 'FAILED') throw documentNotRead();
  if (isBeingRead(present)) throw versionInProgress();
  return present;
}

const isBeingRead = ({ incoming }: Document): boolean =>
  incoming?.status === 'UPLOADED' || incoming?.status === 'PROCESSING';

const nextNumber = ({ lastVersion = 1 }: Document): number => lastVersion + 1;

const named = ({ name, number }: DocumentVersion) => ({ name, version: number });
