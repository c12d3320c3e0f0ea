import { DomainError, type ActorContext, type Clock } from '@platform-backend/core';
import type { ReceivedBytes } from '../domain/document-decision.ts';
import { objectKeysOf, type Document } from '../domain/document.ts';
import type { Documents } from '../domain/documents.ts';
import { documentNotFound, urlExpired } from '../domain/errors.ts';
import type { Files } from '../domain/files.ts';
import { objectKeyOf } from '../domain/object-key.ts';

interface Ports {
  readonly documents: Pick<Documents, 'noteCopy'>;
  readonly files: Files;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Of one document. */
  readonly maxBytes: number;
}

/** By then a copy is the document's, or its process is gone: far more than anybody waits for the store or the database. */
export const COPYING_MS = 60 * 60_000;

/** What was uploaded, as it is now, where the URL of the upload changes it no more; undefined where nothing was. */
export async function settleUpload(
  { documents, files, clock, maxBytes, newId }: Ports,
  { organisationId }: ActorContext,
  { id, objectKey }: Pick<Document, 'id' | 'objectKey'>,
): Promise<ReceivedBytes | undefined> {
  const newKey = objectKeyOf({ organisationId, id }, newId());
  const dueAt = new Date(clock.now().getTime() + COPYING_MS);
  const beforeCopy = () => documents.noteCopy({ organisationId, id }, newKey, dueAt);
  const found = await files.settle({ key: objectKey, newKey, maxBytes, beforeCopy });
  return found && { objectKey, settledKey: found.key, bytes: found.bytes, checksum: found.checksum, maxBytes };
}

const REFUSALS: ReadonlySet<string> = new Set([documentNotFound.code, urlExpired.code]);

/**
 * Records what was settled. Of two who settle the same upload one is faster: the copy of the other is nobody's, and so is that of a
 * document that takes it no more. Where nobody knows whether it was recorded it stays.
 */
export async function recordSettled<State extends Document | undefined>(
  { files }: { readonly files: Pick<Files, 'remove'> },
  { objectKey, settledKey = objectKey }: ReceivedBytes,
  record: () => Promise<State>,
): Promise<State> {
  const isCopy = settledKey !== objectKey;
  try {
    const settled = await record();
    if (isCopy && !(settled && objectKeysOf(settled).includes(settledKey))) await files.remove([settledKey]);
    return settled;
  } catch (error) {
    if (isCopy && error instanceof DomainError && REFUSALS.has(error.code)) await files.remove([settledKey]);
    throw error;
  }
}
