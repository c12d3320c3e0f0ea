import type { ActorContext } from '@platform-backend/core';
import type { Document } from '../domain/document.ts';
import type { Files } from '../domain/files.ts';
import { objectKeyOf } from '../domain/object-key.ts';
import type { ReceivedBytes } from '../domain/upload-document.ts';

interface Ports {
  readonly files: Files;
  readonly newId: () => string;
  /** Of one document. */
  readonly maxBytes: number;
}

/** What was uploaded, as it is now, where the URL of the upload changes it no more; undefined where nothing was. */
export async function settleUpload(
  { files, maxBytes, newId }: Ports,
  { organisationId }: ActorContext,
  { id, objectKey }: Pick<Document, 'id' | 'objectKey'>,
): Promise<ReceivedBytes | undefined> {
  const newKey = objectKeyOf({ organisationId, id }, newId());
  const found = await files.settle({ key: objectKey, newKey, maxBytes });
  return found && { objectKey, settledKey: found.key, bytes: found.bytes, checksum: found.checksum, maxBytes };
}

/** Of two who settle the same upload one is faster: the copy of the other is nobody's. */
export async function dropUnused(
  { files }: Pick<Ports, 'files'>,
  { objectKey, settledKey = objectKey }: ReceivedBytes,
  settled: Document | undefined,
): Promise<void> {
  if (settledKey !== objectKey && settled?.objectKey !== settledKey) await files.remove([settledKey]);
}
