import { serviceActorContext, unchanged, type Logger } from '@platform-backend/core';
import { recordMissingUpload, recordUpload } from '../domain/upload-document.ts';
import type { DocumentPorts } from './documents.ts';

const roundSize = 100;

/**
 * Looks for bytes that came without a word, as they do in S3 and when a process dies at the end of an upload, and ends the
 * waiting for those that never came.
 */
export async function pollUploads(ports: DocumentPorts, logger: Logger, stopping: AbortSignal): Promise<void> {
  const { documents, files, clock, newId, maxBytes, pollEveryMs, wake } = ports;
  for (const { organisationId, id } of await documents.toPoll(clock.now(), roundSize)) {
    if (stopping.aborted) return;
    try {
      const { objectKey = '' } = (await documents.find(organisationId, id)) ?? {};
      if (objectKey === '') continue;
      const found = await files.head(objectKey);
      const by = serviceActorContext('content', organisationId, newId());
      const at = clock.now();
      const next = new Date(at.getTime() + pollEveryMs);
      await documents.updateWithFollowUp(by, id, at, (document) => {
        if (document?.objectKey !== objectKey) return unchanged(document);
        return found
          ? recordUpload(document, { ...found, objectKey, maxBytes }, at)
          : recordMissingUpload(document, next, at);
      });
      wake();
    } catch (error) {
      logger.warn(
        { event: 'upload_poll.failed', err: error, organisationId, documentId: id },
        'an upload could not be looked for, trying again',
      );
    }
  }
}
