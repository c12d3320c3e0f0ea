import { decided, unchanged } from '@platform-backend/core';
import { changeAccess, type Access } from '../../access/domain/access.ts';
import { cleanup, existing, type DocumentDecision } from './document-decision.ts';
import { documentDeleted, documentEvent } from './document-events.ts';
import { retryVersion, withoutIncoming } from './document-versions.ts';
import {
  hasBytes,
  hasNoBytes,
  idle,
  objectKeysOf,
  requeued,
  toBeRead,
  withoutImport,
  type Document,
} from './document.ts';
import { documentArchived, documentHasNoBytes, documentNotFailed, nothingUploaded } from './errors.ts';
import { labelsOf } from './metadata.ts';

export type ChangeDocument = Partial<Pick<Document, 'name' | 'description' | 'collection' | 'metadata'>>;

/** Changes the fields given. */
export function changeDocument(document: Document | undefined, wanted: ChangeDocument, at: Date): DocumentDecision {
  const present = existing(document);
  const changed = (Object.keys(wanted) as (keyof ChangeDocument)[]).filter((field) => !isSame(field, wanted, present));
  if (changed.length === 0) return unchanged(present);
  if (present.status === 'ARCHIVED') throw documentArchived();
  const describedByHand = wanted.description === undefined ? present.describedByHand : wanted.description !== '';
  const { metadata: known, ...others } = { ...present, ...wanted };
  const metadata = known && Object.keys(known).length > 0 ? { metadata: known } : {};
  const next: Document = {
    ...others,
    ...metadata,
    ...renamedIncoming(present, wanted),
    describedByHand,
    updatedAt: at,
  };
  const data = { name: next.name, changed_fields: changed };
  return {
    state: next,
    events: [documentEvent('document.updated', next, at, { data, before: present })],
    result: next,
    // A search shows its name, and looks in its collection.
    followUp: { documentId: next.id, objectKeys: [], againAt: null },
  };
}

/** A version that is coming is called as the document is, unless it got a name of its own. */
const renamedIncoming = ({ name: before, incoming }: Document, { name }: ChangeDocument): Pick<Document, 'incoming'> =>
  incoming && name !== undefined && incoming.name === before ? { incoming: { ...incoming, name } } : {};

const isSame = (field: keyof ChangeDocument, one: ChangeDocument, other: ChangeDocument): boolean =>
  field === 'metadata'
    ? JSON.stringify(labelsOf(one.metadata)) === JSON.stringify(labelsOf(other.metadata))
    : one[field] === other[field];

/** Restricts the document, or opens it to everybody in the organisation; archived or not. */
export function changeDocumentAccess(
  document: Document | undefined,
  access: Access | undefined,
  at: Date,
): DocumentDecision {
  const present = existing(document);
  const { id } = present;
  const changed = changeAccess(present, access, at, { name: 'document.access_changed', document_id: id });
  // Searches go by it.
  return changed.state === present
    ? changed
    : { ...changed, followUp: { documentId: id, objectKeys: [], againAt: null } };
}

/** Keeps the document whatever the retention policy says, or no longer; archived or not. That changes nothing of what it is, nor since when. */
export function exemptDocument(document: Document | undefined, isExempt: boolean, at: Date): DocumentDecision {
  const present = existing(document);
  const { retentionExempt = false, ...others } = present;
  if (retentionExempt === isExempt) return unchanged(present);
  const next: Document = { ...others, ...(isExempt && { retentionExempt: true }) };
  const data = { name: next.name, changed_fields: ['retention_exempt'] };
  return decided(next, documentEvent('document.updated', next, at, { data, before: present }));
}

/** Puts the document away; whoever was at work on it finds that out. */
export function archiveDocument(document: Document | undefined, at: Date): DocumentDecision {
  const present = existing(document);
  if (present.status === 'ARCHIVED') return unchanged(present);
  const { incoming } = present;
  // A version that is coming does not come any more, and nothing is fetched.
  const stays = withoutImport(withoutIncoming(present));
  const next: Document = {
    ...stays,
    ...idle,
    status: 'ARCHIVED',
    archivedFrom: present.status,
    updatedAt: at,
  };
  const kept = objectKeysOf(next);
  const given = incoming && !kept.includes(incoming.objectKey) ? [incoming.objectKey] : [];
  return {
    state: next,
    events: [documentEvent('document.archived', next, at, { data: { name: next.name }, before: present })],
    result: next,
    followUp: cleanup(next, given, at),
  };
}

/** Takes the document out of the archive. What was processed is processed again, since the archive is not searched. */
export function restoreDocument(document: Document | undefined, at: Date): DocumentDecision {
  const present = existing(document);
  if (present.status !== 'ARCHIVED') return unchanged(present);
  const next: Document = { ...present, ...restored(present, at), archivedFrom: null, updatedAt: at };
  return decided(next, documentEvent('document.restored', next, at, { data: { name: next.name }, before: present }));
}

function restored({ archivedFrom }: Document, at: Date): Partial<Document> {
  switch (archivedFrom) {
    case 'UPLOADED':
      return { status: 'UPLOADED', nextAttemptAt: at, attempts: 0 };
    case 'PROCESSING':
    case 'READY':
      return { ...requeued(at), attempts: 0 };
    case 'PENDING_UPLOAD':
      return { status: 'PENDING_UPLOAD', nextPollAt: at };
    case 'FAILED':
    case 'EXPIRED':
    case 'ARCHIVED':
    case null:
      return { status: archivedFrom ?? 'FAILED' };
  }
}

/** Has a document that failed, or a version of it that did, processed once more. */
export function retryDocument(document: Document | undefined, at: Date): DocumentDecision {
  const present = existing(document);
  if (toBeRead(present)) return unchanged(present);
  if (present.incoming?.status === 'FAILED' && present.status !== 'ARCHIVED')
    return retryVersion(present, present.incoming, at);
  if (present.status !== 'FAILED') throw documentNotFailed();
  if (hasNoBytes(present.failure)) throw documentHasNoBytes();
  if (!hasBytes(present)) throw nothingUploaded();
  return reprocessed(present, at);
}

/** To be processed from its beginning. */
export function reprocessed(present: Document, at: Date): DocumentDecision {
  const next: Document = {
    ...present,
    ...requeued(at),
    failure: null,
    attempts: 0,
    updatedAt: at,
  };
  return decided(next, documentEvent('document.retried', next, at, { data: { name: next.name }, before: present }));
}

/** Ends the document; what there is of it is removed. */
export function deleteDocument(document: Document | undefined, at: Date): DocumentDecision<undefined, Document> {
  const present = existing(document);
  return {
    state: undefined,
    events: [documentDeleted(present, at)],
    result: present,
    followUp: cleanup(present, objectKeysOf(present), at),
  };
}
