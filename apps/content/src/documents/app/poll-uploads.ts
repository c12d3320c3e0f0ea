import { serviceActorContext, unchanged, type Logger } from '@platform-backend/core';
import { awaitedKeyOf } from '../domain/document.ts';
import { recordMissingUpload, recordUpload } from '../domain/upload-document.ts';
import type { DocumentPorts } from './documents.ts';
import { recordSettled, settleUpload } from './settle-upload.ts';

const roundSize = 100;

/**
 * Looks for bytes that came without a word, as they do in S3 and when a process dies at the end of an upload, and ends the
 * waiting for those that never came.
 */
export async function pollUploads(ports: DocumentPorts, logger: Logger, stopping: AbortSignal): Promise<void> {
  const { documents, clock, newId, pollEveryMs, wake } = ports;
  for (const { organisationId, id } of await documents.toPoll(clock.now(), roundSize)) {
    if (stopping.aborted) return;
    try {
      const present = await documents.find(organisationId, id);
      const objectKey = present && awaitedKeyOf(present);
      if (objectKey === undefined) continue;
      const by = serviceActorContext('content', organisationId, newId());
      const found = await settleUpload(ports, by, { id, objectKey });
      const at = clock.now();
      const next = new Date(at.getTime() + pollEveryMs);
      const record = () =>
        documents.updateWithFollowUp(by, id, at, (document) => {
          if (!document || awaitedKeyOf(document) !== objectKey) return unchanged(document);
          return found ? recordUpload(document, found, at) : recordMissingUpload(document, next, at);
        });
      await (found ? recordSettled(ports, found, record) : record());
      wake();
    } catch (error) {
      logger.warn(
        { event: 'upload_poll.failed', err: error, organisationId, documentId: id },
        'an upload could not be looked for, trying again',
      );
    }
  }
}
