import { decided, unchanged } from '@platform-backend/core';
import type { DocumentDecision, ReceivedBytes } from './document-decision.ts';
import { documentEvent } from './document-events.ts';
import { hasBytes, idle, withoutImport, type Document, type Failure } from './document.ts';
import { documentExists } from './errors.ts';
import { mediaTypeOf } from './media-types.ts';
import { recordUpload, requestUpload, type RequestUpload } from './upload-document.ts';

/** Who brings its bytes, and what it is called until they come. */
export interface ImportStart extends Omit<RequestUpload, 'contentType' | 'nextPollAt' | 'reservedBytes'> {
  /** The item, of which a document is made, and its import. */
  readonly importItemId: string;
  readonly importId: string;
}

/** What has come of an address, and is kept. */
export interface FetchedBytes extends Required<Omit<ReceivedBytes, 'objectKey'>> {
  readonly name: string;
  readonly contentType: string;
}

/** The same, for a document that was begun under this name: whoever has called it otherwise since is not overruled. */
export interface ReceivedImport extends FetchedBytes {
  readonly nameBefore: string;
}

/** What comes of an address. */
export interface FetchedContent extends Pick<FetchedBytes, 'name' | 'contentType'> {
  /** How many bytes there will be; undefined: nobody says. */
  readonly said: number | undefined;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Its bytes are being fetched by this item of an import; nobody else brings any. */
export const isFetchedBy = (
  document: Document | undefined,
  importItemId: string,
): document is Document & { readonly importItemId: string } =>
  document?.status === 'PENDING_UPLOAD' && document.importItemId === importItemId;

/** Nothing came for it of this item, and nobody has brought anything since. */
const hasFailedBy = (
  document: Document | undefined,
  importItemId: string,
): document is Document & { readonly importItemId: string } =>
  document?.status === 'FAILED' && document.importItemId === importItemId && !hasBytes(document) && !document.incoming;

const BEGUN = { stage: 'FETCHING', percent: 0 } as const;

/** A new document whose bytes are fetched; begun again it is the same. CONFLICT: there is another one of this id. */
export function beginImport(
  document: Document | undefined,
  { importItemId, importId, ...wanted }: ImportStart,
  at: Date,
): DocumentDecision {
  if (isFetchedBy(document, importItemId)) return unchanged(document);
  if (document) throw documentExists();
  const asked = requestUpload(undefined, { ...wanted, contentType: mediaTypeOf(wanted.name), nextPollAt: at }, at);
  // Nobody looks for an upload, and it never expires: the import says what becomes of it.
  const fetched: Document = {
    ...asked.state,
    ...{ importItemId, importId, nextPollAt: null, progress: BEGUN },
  };
  return { ...asked, state: fetched, result: fetched };
}

/**
 * The same document is fetched once more, for which nothing came before. Where somebody has deleted it, put it away or brought its bytes
 * since, nobody waits for it: nothing changes, and the result is undefined.
 */
export function resumeImport(
  document: Document | undefined,
  importItemId: string,
  at: Date,
): DocumentDecision<Document | undefined> {
  if (isFetchedBy(document, importItemId)) return unchanged(document);
  if (!hasFailedBy(document, importItemId)) return { ...unchanged(document), result: undefined };
  const again: Document = {
    ...document,
    ...idle,
    ...{ status: 'PENDING_UPLOAD', failure: null, progress: BEGUN, updatedAt: at },
  };
  return decided(again, documentEvent('document.retried', again, at, { data: { name: again.name }, before: document }));
}

/** How far it is, and for how much room is set aside for it. */
export function progressImport(
  document: Document | undefined,
  importItemId: string,
  { percent = 0, ...room }: { readonly percent?: number; readonly reservedBytes?: number },
): DocumentDecision<Document | undefined> {
  if (!isFetchedBy(document, importItemId)) return unchanged(document);
  const next: Document = { ...document, ...room, progress: { stage: 'FETCHING', percent } };
  return decided(next);
}

/** Its bytes are here. Where nobody waits for them any more nothing changes. */
export function receiveImport(
  document: Document | undefined,
  importItemId: string,
  { name: found, nameBefore, contentType, ...received }: ReceivedImport,
  at: Date,
): DocumentDecision<Document | undefined> {
  if (!isFetchedBy(document, importItemId)) return unchanged(document);
  const name = document.name === nameBefore ? found : document.name;
  const named: Document = { ...withoutImport(document), name, contentType, mediaType: contentType };
  return recordUpload(named, { ...received, objectKey: document.objectKey }, at);
}

/** Nothing came, and nothing will unless the import is asked once more. */
export function failImport(
  document: Document | undefined,
  importItemId: string,
  failure: Failure,
  at: Date,
): DocumentDecision<Document | undefined> {
  if (!isFetchedBy(document, importItemId)) return unchanged(document);
  const { reservedBytes: _room, ...stays } = document;
  const failed: Document = { ...stays, ...idle, status: 'FAILED', failure, updatedAt: at };
  const data = { name: failed.name, ...failure };
  return decided(failed, documentEvent('document.failed', failed, at, { data, before: document }));
}
