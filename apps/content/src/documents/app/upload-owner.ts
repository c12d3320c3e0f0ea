import { serviceActorContext } from '@platform-backend/core';
import type { ReceivedBytes } from '../domain/document-decision.ts';
import { hasNoBytes, objectKeysOf } from '../domain/document.ts';
import { documentNotFound } from '../domain/errors.ts';
import { documentRefOf } from '../domain/object-key.ts';
import { recordUpload } from '../domain/upload-document.ts';
import type { DocumentPorts } from './documents.ts';

/** The document that awaits the bytes of a key. */
export const uploadOwner =
  ({ documents, clock, maxBytes, wake }: Pick<DocumentPorts, 'documents' | 'clock' | 'maxBytes' | 'wake'>) =>
  (objectKey: string) => {
    const { organisationId, id } = documentRefOf(objectKey);
    return {
      async uploadState() {
        const document = await documents.find(organisationId, id);
        if (!document || !objectKeysOf(document).includes(objectKey)) return 'gone';
        const { incoming } = document;
        if (incoming?.objectKey === objectKey) return hasNoBytes(incoming.failure) ? 'expired' : 'known';
        return document.status === 'EXPIRED' && document.objectKey === objectKey ? 'expired' : 'known';
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
