import { serviceActorContext } from '@platform-backend/core';
import { documentNotFound, fileNotFound } from '../domain/errors.ts';
import type { FileContent, UploadHead } from '../domain/files.ts';
import { documentRefOf } from '../domain/object-key.ts';
import { recordUpload } from '../domain/upload-document.ts';
import type { DocumentPorts } from './documents.ts';

export type FileUseCases = ReturnType<typeof fileUseCases>;

/** What whoever has a ticket may do, where the platform itself keeps the bytes. */
export function fileUseCases({ documents, files, clock, maxBytes, wake }: DocumentPorts) {
  const localEndpoint = () => {
    if (!files.localEndpoint) throw fileNotFound();
    return files.localEndpoint;
  };
  return {
    /** Takes the bytes; the document goes on by itself as soon as they are there. */
    async uploadFile(
      ticket: string,
      head: UploadHead,
      body: AsyncIterable<Uint8Array>,
      requestId: string,
    ): Promise<{ readonly bytes: number; readonly checksum: string }> {
      const permit = localEndpoint().readUpload(ticket);
      const { organisationId, id } = documentRefOf(permit.key);
      const awaited = await documents.find(organisationId, id);
      if (awaited?.objectKey !== permit.key) throw documentNotFound();
      const received = await localEndpoint().receive(permit, head, body);
      const by = serviceActorContext('content', organisationId, requestId);
      const at = clock.now();
      try {
        const uploaded = { ...received, objectKey: permit.key, maxBytes: Math.max(maxBytes, permit.maxBytes) };
        await documents.updateWithFollowUp(by, id, at, (document) => recordUpload(document, uploaded, at));
      } catch (error) {
        const { objectKey, status } = (await documents.find(organisationId, id)) ?? {};
        // The document has gone on without them.
        if (objectKey !== permit.key || status === 'EXPIRED') await files.remove([permit.key]);
        throw error;
      }
      wake();
      return received;
    },

    downloadFile: (ticket: string): Promise<FileContent> => localEndpoint().open(ticket),
  };
}
