import { beginningOf, DomainError, serviceActorContext, type Logger } from '@platform-backend/core';
import type { Passages } from '../../passages/domain/passage.ts';
import { asRead, objectKeysOf, toBeRead, type Document, type Failure } from '../domain/document.ts';
import type { DocumentRef } from '../domain/documents.ts';
import { ExtractionFailure, type ExtractDocument } from '../domain/extraction.ts';
import { MAX_CONTENT } from '../domain/limits.ts';
import {
  claimDocument,
  completeProcessing,
  failProcessing,
  postponeProcessing,
  continueProcessing,
  isHeldBy,
  releaseDocument,
  type DocumentFacts,
  type Worker,
} from '../domain/process-document.ts';
import { sourceOf } from '../domain/source.ts';
import type { DocumentPorts } from './documents.ts';
import { renewLease, type RenewedLease } from './renew-lease.ts';

export interface ProcessingPorts extends Pick<
  DocumentPorts,
  'documents' | 'texts' | 'files' | 'clock' | 'newId' | 'maxVersions'
> {
  readonly passages: Passages;
  readonly extract: ExtractDocument;
  readonly logger: Logger;
  /** How long a document is ours without another word, in milliseconds. */
  readonly leaseMs: number;
  /** What one attempt may take, in milliseconds. */
  readonly deadlineMs: number;
}

/** Decides what becomes of the document; undefined where it is not ours any more. */
type Settle = (
  decide: (document: Document | undefined, at: Date) => ReturnType<typeof claimDocument>,
) => Promise<Document | undefined>;

/** Processes a document to an end, whatever it is. False: it was not to be had. */
export async function processDocument(
  ports: ProcessingPorts,
  ref: DocumentRef,
  stopping: AbortSignal,
): Promise<boolean> {
  const { documents, clock, newId, leaseMs, deadlineMs, maxVersions } = ports;
  const worker = { holder: newId(), leaseMs };
  const { organisationId, id } = ref;
  const by = serviceActorContext('content', organisationId, newId());
  const claimed = await documents.update(by, id, (document) => claimDocument(document, worker, clock.now()));
  if (!claimed) return false;

  const settle: Settle = (decide) => documents.update(by, id, (document) => decide(document, clock.now()));
  const lease = renewLease({
    everyMs: leaseMs / 3,
    renew: async (progress) =>
      Boolean(await settle((document, at) => continueProcessing(document, worker, progress, at))),
    logger: ports.logger,
  });
  const deadline = AbortSignal.timeout(deadlineMs);
  const complete = async (facts: DocumentFacts): Promise<Document | undefined> => {
    const at = clock.now();
    return documents.updateWithFollowUp(by, id, at, (document) =>
      completeProcessing(document, worker, facts, { maxVersions, at }),
    );
  };
  const isVersion = toBeRead(claimed) === 'version';
  try {
    const facts = await readAndIndex(ports, organisationId, claimed, {
      signal: AbortSignal.any([stopping, deadline, lease.lost]),
      report: lease.report,
      present: async (read) => {
        if (isVersion) return complete(read);
        const found = await documents.find(organisationId, id);
        return found && isHeldBy(found, worker) ? found : undefined;
      },
    });
    await lease.end();
    if (isVersion) {
      // Where it is ours still, its passages have not taken the place of the others.
      const reading = { failure: UNAVAILABLE };
      const left = await settle((document, at) => postponeProcessing(document, worker, reading, at));
      if (!left) await withdraw(ports, organisationId, claimed);
    } else if (!(await complete(facts))) await withdraw(ports, organisationId, claimed);
  } catch (error) {
    await lease.end();
    if (lease.lost.aborted) await withdraw(ports, organisationId, claimed);
    else if (stopping.aborted) await settle((document, at) => releaseDocument(document, worker, at));
    else if (deadline.aborted)
      await settle((document, at) => failProcessing(document, worker, { failure: tooLong(deadlineMs) }, at));
    else await settleFailure(ports, { ref, worker, error, settle });
  }
  return true;
}

interface Reading {
  readonly signal: AbortSignal;
  readonly report: RenewedLease['report'];
  /**
   * It, as long as it is ours: what was archived or deleted meanwhile is not to be found. A version becomes the document with that, in the same
   * transaction.
   */
  readonly present: (facts: DocumentFacts) => Promise<Document | undefined>;
}

async function readAndIndex(
  { files, texts, passages, extract, deadlineMs }: ProcessingPorts,
  organisationId: string,
  document: Document,
  { signal, report, present }: Reading,
): Promise<DocumentFacts> {
  const indexedAs = asRead(document);
  const { objectKey, name, contentType, sizeBytes, checksum: known } = indexedAs;
  const uploaded = { key: objectKey, bytes: sizeBytes, checksum: known };
  return files.withCopy(uploaded, signal, async ({ path, bytes, checksum }) => {
    report({ stage: 'EXTRACTING', percent: 10 });
    const read = await extract(
      { path, name, declaredType: contentType },
      {
        organisationId,
        signal,
        ocrTimeoutMs: OCR_SHARE * deadlineMs,
        onPicture: (done, all) => report({ stage: 'EXTRACTING', percent: 10 + Math.floor((40 * done) / all) }),
      },
    );
    signal.throwIfAborted();
    report({ stage: 'INDEXING', percent: 50 });
    const content = beginningOf(read.text, MAX_CONTENT);
    await texts.put(organisationId, objectKey, content);
    const described = (one: Document) => sourceOf({ ...asRead(one), mediaType: read.mediaType });
    const facts: DocumentFacts = {
      mediaType: read.mediaType,
      sizeBytes: bytes,
      checksum,
      language: read.language ?? '',
      pageCount: read.pages ?? null,
      numTokens: read.numTokens,
      description: read.description,
      detailedDescription: read.detailedDescription,
      contentIsCut: content.length < read.text.length,
      pagesWithoutText: read.pagesWithoutText ?? [],
      indexedAs,
    };
    await passages.replace(organisationId, described(document), read.passages, {
      signal,
      present: async () => {
        const own = await present(facts);
        return own && described(own);
      },
      onEmbedded: (done, all) =>
        report({ stage: 'INDEXING', percent: 50 + Math.floor((49 * done) / Math.max(1, all)) }),
    });
    signal.throwIfAborted();
    return facts;
  });
}

/** Of the time that a document has: what is not read of its pictures by then has no text, and the rest of it is found. */
const OCR_SHARE = 0.75;

/** The document was taken from us: what we have made may be left of one that is gone or archived. */
async function withdraw({ documents, passages, texts }: ProcessingPorts, organisationId: string, claimed: Document) {
  const present = await documents.find(organisationId, claimed.id);
  const { objectKey } = asRead(claimed);
  if (!present || !objectKeysOf(present).includes(objectKey)) await texts.remove(organisationId, [objectKey]);
  if (!present || present.status === 'ARCHIVED') await passages.remove(organisationId, 'DOCUMENT', [claimed.id]);
}

async function settleFailure(
  { logger }: ProcessingPorts,
  { ref, worker, error, settle }: { ref: DocumentRef; worker: Worker; error: unknown; settle: Settle },
): Promise<void> {
  if (error instanceof ExtractionFailure) {
    const { code, message, canRetry, mediaType } = error;
    const decide = canRetry ? postponeProcessing : failProcessing;
    await settle((document, at) => decide(document, worker, { failure: { code, message }, mediaType }, at));
  } else if (error instanceof DomainError && error.code === 'bytes_replaced') {
    const { code, message } = error;
    await settle((document, at) => failProcessing(document, worker, { failure: { code, message } }, at));
  } else if (error instanceof DomainError && error.code === 'object_not_found') {
    await settle((document, at) => failProcessing(document, worker, { failure: BYTES_MISSING }, at));
  } else {
    logger.warn(
      { event: 'document_processing.failed', err: error, organisationId: ref.organisationId, documentId: ref.id },
      'a document could not be processed now',
    );
    await settle((document, at) => postponeProcessing(document, worker, { failure: UNAVAILABLE }, at));
  }
}

const tooLong = (deadlineMs: number): Failure => ({
  code: 'timed_out',
  message: `Processing took longer than ${Math.ceil(deadlineMs / 60_000)} minutes. Split the file into smaller ones and upload these.`,
});

const BYTES_MISSING: Failure = { code: 'bytes_missing', message: 'The uploaded file is gone. Upload it again.' };

const UNAVAILABLE: Failure = {
  code: 'processing_failed',
  message: 'A part of the platform was away in each of several attempts. The file is kept: retry the document later.',
};
