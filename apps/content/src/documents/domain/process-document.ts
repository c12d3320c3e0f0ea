import { decided, unchanged } from '@platform-backend/core';
import type { DocumentDecision } from './document-decision.ts';
import { documentEvent } from './document-events.ts';
import { swapped, versionFailed } from './document-versions.ts';
import { idle, requeued, settled, toBeRead, type Document, type Failure, type Progress } from './document.ts';
import { MAX_ATTEMPTS, retryDelay } from './limits.ts';
import { isSearchedAlike, type Searched } from './source.ts';

/** Who works on a document, and how long its word holds. */
export interface Worker {
  readonly holder: string;
  readonly leaseMs: number;
}

type Processing = DocumentDecision<Document | undefined>;

/**
 * Takes the document for this worker. The result is undefined where there is nothing to do: somebody else has it, or it was
 * begun so often that it is given up.
 */
export function claimDocument(document: Document | undefined, worker: Worker, at: Date): Processing {
  if (!document || !isDue(document, at)) return { ...unchanged(document), result: undefined };
  if (document.attempts >= MAX_ATTEMPTS) return { ...failed(document, { failure: GIVEN_UP }, at), result: undefined };
  const claimed: Document = {
    ...withProgress(document, { stage: 'READING', percent: 0 }),
    attempts: document.attempts + 1,
    updatedAt: at,
    ...leased(worker, at),
  };
  return decided(claimed, progressed(claimed, at));
}

const isDue = (document: Document, at: Date): boolean =>
  toBeRead(document) !== undefined && document.nextAttemptAt !== null && document.nextAttemptAt <= at;

/** It is being read, and so far; while a version is, the document itself stays READY. */
function withProgress(document: Document, progress: Progress): Document {
  const { incoming } = document;
  return incoming && toBeRead(document) === 'version'
    ? { ...document, incoming: { ...incoming, status: 'PROCESSING', progress } }
    : { ...document, status: 'PROCESSING', progress };
}

const progressOf = (document: Document): Progress | null =>
  toBeRead(document) === 'version' ? (document.incoming?.progress ?? null) : document.progress;

const GIVEN_UP: Failure = {
  code: 'reader_failed',
  message:
    'The file could not be read in several attempts. Save it anew with the program it comes from, and upload it again.',
};

/** Goes on: the lease lasts longer, and what is told of the progress is newer. */
export function continueProcessing(
  document: Document | undefined,
  worker: Worker,
  progress: Progress | undefined,
  at: Date,
): Processing {
  if (!isHeldBy(document, worker)) return { ...unchanged(document), result: undefined };
  const next: Document = { ...(progress ? withProgress(document, progress) : document), ...leased(worker, at) };
  const before = progressOf(document);
  const isNews = progress && (progress.stage !== before?.stage || progress.percent !== before.percent);
  return { state: next, events: isNews ? [progressed(next, at)] : [], result: next };
}

/** What was read of it. */
export interface DocumentFacts extends Pick<
  Document,
  'mediaType' | 'sizeBytes' | 'checksum' | 'language' | 'pageCount' | 'numTokens'
> {
  readonly description: string;
  readonly detailedDescription: string;
  readonly contentIsCut: boolean;
  readonly pagesWithoutText: readonly number[];
  /** What it was called and where it was when it was given to the search. */
  readonly indexedAs: Searched;
}

/**
 * It is read and indexed. What somebody has changed meanwhile the search has still to learn. Of a version it is said in the transaction in
 * which its passages take the place of the others.
 */
export function completeProcessing(
  document: Document | undefined,
  worker: Worker,
  { description, indexedAs, ...facts }: DocumentFacts,
  { maxVersions, at }: { readonly maxVersions: number; readonly at: Date },
): Processing {
  if (!isHeldBy(document, worker)) return { ...unchanged(document), result: undefined };
  const own = { ...facts, ...(!document.describedByHand && { description }) };
  if (document.incoming && toBeRead(document) === 'version') {
    const swap = swapped(document, document.incoming, own, { maxVersions, at });
    // Whatever was still to follow from a change of the document may have said of these passages as well what that was called.
    const isDescribed = [indexedAs, document].every((one) => isSearchedAlike(swap.result, one));
    return isDescribed && swap.result.mediaType === document.mediaType
      ? swap
      : { followUp: toDescribe(document), ...swap };
  }
  const ready: Document = {
    ...document,
    ...settled(document, at),
    ...own,
    status: 'READY',
    failure: null,
    updatedAt: at,
  };
  const data = {
    name: ready.name,
    media_type: ready.mediaType,
    size_bytes: ready.sizeBytes,
    page_count: ready.pageCount,
    num_tokens: ready.numTokens,
    language: ready.language,
    collection: ready.collection,
  };
  return {
    state: ready,
    events: [documentEvent('document.ready', ready, at, { data, before: document })],
    result: ready,
    ...(!isSearchedAlike(ready, indexedAs) && { followUp: toDescribe(ready) }),
  };
}

const toDescribe = ({ id }: Document) => ({ documentId: id, objectKeys: [], againAt: null });

/** Why it could not be processed, and what the bytes are as far as that was found out. */
export interface ReadingFailure {
  readonly failure: Failure;
  readonly mediaType?: string | undefined;
}

/** It cannot be read as it is. */
export function failProcessing(
  document: Document | undefined,
  worker: Worker,
  reading: ReadingFailure,
  at: Date,
): Processing {
  if (!isHeldBy(document, worker)) return { ...unchanged(document), result: undefined };
  return failed(document, reading, at);
}

/** Something else went wrong than the document: it is tried again later, so often and no more. */
export function postponeProcessing(
  document: Document | undefined,
  worker: Worker,
  reading: ReadingFailure,
  at: Date,
): Processing {
  if (!isHeldBy(document, worker)) return { ...unchanged(document), result: undefined };
  if (document.attempts >= MAX_ATTEMPTS) return failed(document, reading, at);
  const nextAttemptAt = new Date(at.getTime() + retryDelay(document.attempts));
  return decided(again(document, nextAttemptAt, at));
}

/** Nobody is at it, and somebody will be. */
function again(document: Document, nextAttemptAt: Date, at: Date): Document {
  const { incoming } = document;
  return incoming && toBeRead(document) === 'version'
    ? { ...document, ...idle, nextAttemptAt, incoming: { ...incoming, progress: null }, updatedAt: at }
    : { ...document, ...requeued(nextAttemptAt), updatedAt: at };
}

/** The worker stops before it is done, and not because of the document. */
export function releaseDocument(document: Document | undefined, worker: Worker, at: Date): Processing {
  if (!isHeldBy(document, worker)) return { ...unchanged(document), result: undefined };
  const attempts = Math.max(0, document.attempts - 1);
  return decided({ ...again(document, at, at), attempts });
}

/** Nobody has taken it from this worker, by archive, deletion or as its lease was over. */
export const isHeldBy = (document: Document | undefined, { holder }: Worker): document is Document =>
  document !== undefined && toBeRead(document) !== undefined && document.lease?.holder === holder;

function failed(document: Document, { failure, mediaType }: ReadingFailure, at: Date): DocumentDecision {
  const { incoming } = document;
  if (incoming && toBeRead(document) === 'version') {
    const known = mediaType ?? incoming.mediaType;
    return versionFailed(document, { ...incoming, mediaType: known }, failure, at);
  }
  const next: Document = {
    ...document,
    ...settled(document, at),
    ...{ status: 'FAILED', failure, mediaType: mediaType ?? document.mediaType, updatedAt: at },
  };
  const data = { name: next.name, ...failure };
  return decided(next, documentEvent('document.failed', next, at, { data, before: document }));
}

function progressed(document: Document, at: Date) {
  const { stage, percent } = progressOf(document) ?? { stage: 'READING', percent: 0 };
  const version = toBeRead(document) === 'version' ? (document.incoming?.number ?? null) : null;
  return documentEvent('document.progressed', document, at, { data: { stage, percent, version } });
}

function leased({ holder, leaseMs }: Worker, at: Date) {
  const until = new Date(at.getTime() + leaseMs);
  return { lease: { holder, until }, nextAttemptAt: until };
}
