import { decided, unchanged } from '@platform-backend/core';
import type { DocumentDecision, ReceivedBytes } from './document-decision.ts';
import { documentEvent } from './document-events.ts';
import { hasBytes, idle, type Document, type Failure } from './document.ts';
import { documentExists } from './errors.ts';
import { mediaTypeOf } from './media-types.ts';
import { recordUpload, requestUpload, type RequestUpload } from './upload-document.ts';

/** Who brings its bytes, and what it is called until they come. */
export interface ImportStart extends Omit<RequestUpload, 'contentType' | 'nextPollAt' | 'reservedBytes'> {
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

/** Its bytes are being fetched by this import; nobody else brings any. */
export const isFetchedBy = (
  document: Document | undefined,
  importId: string,
): document is Document & { readonly importId: string } =>
  document?.status === 'PENDING_UPLOAD' && document.importId === importId;

/** Nothing came for it of this import, and nobody has brought anything since. */
const hasFailedBy = (
  document: Document | undefined,
  importId: string,
): document is Document & { readonly importId: string } =>
  document?.status === 'FAILED' && document.importId === importId && !hasBytes(document) && !document.incoming;

/** A document whose bytes are fetched: a new one, or that for which nothing came before; begun again it is the same. CONFLICT: there is another one of this id. */
export function beginImport(
  document: Document | undefined,
  { importId, ...wanted }: ImportStart,
  at: Date,
): DocumentDecision {
  if (isFetchedBy(document, importId)) return unchanged(document);
  const progress = { stage: 'FETCHING', percent: 0 } as const;
  if (hasFailedBy(document, importId)) {
    const again: Document = { ...document, ...idle, status: 'PENDING_UPLOAD', failure: null, progress, updatedAt: at };
    return decided(
      again,
      documentEvent('document.retried', again, at, { data: { name: again.name }, before: document }),
    );
  }
  if (document) throw documentExists();
  const asked = requestUpload(undefined, { ...wanted, contentType: mediaTypeOf(wanted.name), nextPollAt: at }, at);
  // Nobody looks for an upload, and it never expires: the import says what becomes of it.
  const fetched: Document = {
    ...asked.state,
    ...{ importId, nextPollAt: null, progress },
  };
  return { ...asked, state: fetched, result: fetched };
}

/** How far it is, and for how much room is set aside for it. */
export function progressImport(
  document: Document | undefined,
  importId: string,
  { percent = 0, ...room }: { readonly percent?: number; readonly reservedBytes?: number },
): DocumentDecision<Document | undefined> {
  if (!isFetchedBy(document, importId)) return unchanged(document);
  const next: Document = { ...document, ...room, progress: { stage: 'FETCHING', percent } };
  return decided(next);
}

/** Its bytes are here. Where nobody waits for them any more nothing changes. */
export function receiveImport(
  document: Document | undefined,
  importId: string,
  { name: found, nameBefore, contentType, ...received }: ReceivedImport,
  at: Date,
): DocumentDecision<Document | undefined> {
  if (!isFetchedBy(document, importId)) return unchanged(document);
  const name = document.name === nameBefore ? found : document.name;
  const named: Document = { ...withoutImport(document), name, contentType, mediaType: contentType };
  return recordUpload(named, { ...received, objectKey: document.objectKey }, at);
}

/** Nothing came, and nothing will unless the import is asked once more. */
export function failImport(
  document: Document | undefined,
  importId: string,
  failure: Failure,
  at: Date,
): DocumentDecision<Document | undefined> {
  if (!isFetchedBy(document, importId)) return unchanged(document);
  const { reservedBytes: _room, ...stays } = document;
  const failed: Document = { ...stays, ...idle, status: 'FAILED', failure, updatedAt: at };
  const data = { name: failed.name, ...failure };
  return decided(failed, documentEvent('document.failed', failed, at, { data, before: document }));
}

const withoutImport = ({ importId: _ended, reservedBytes: _room, ...document }: Document): Document => document;
