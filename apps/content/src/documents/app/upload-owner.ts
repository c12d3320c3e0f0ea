import { serviceActorContext } from '@platform-backend/core';
import { documentNotFound } from '../domain/errors.ts';
import { documentRefOf } from '../domain/object-key.ts';
import { recordUpload, type ReceivedBytes } from '../domain/upload-document.ts';
import type { DocumentPorts } from './documents.ts';

/** The document that awaits the bytes of a key. */
export const uploadOwner =
  ({ documents, clock, maxBytes, wake }: Pick<DocumentPorts, 'documents' | 'clock' | 'maxBytes' | 'wake'>) =>
  (objectKey: string) => {
    const { organisationId, id } = documentRefOf(objectKey);
    return {
      async uploadState() {
        const document = await documents.find(organisationId, id);
        if (document?.objectKey !== objectKey) return 'gone';
        return document.status === 'EXPIRED' ? 'expired' : 'known';
      },
      notFound: documentNotFound,
      async recordUpload(received: Omit<ReceivedBytes, 'objectKey'>, requestId: string): Promise<void> {
        const by = serviceActorContext('content', organisationId, requestId);
        const at = clock.now();
        const uploaded = { ...received, objectKey, maxBytes: Math.max(maxBytes, received.maxBytes) };
        await documents.updateWithFollowUp(by, id, at, (document) => recordUpload(document, uploaded, at));
        wake();
      },
    };
  };
