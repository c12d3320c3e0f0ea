import { serviceActorContext } from '@platform-backend/core';
import type { DatasetContent, UploadHead } from '../domain/dataset-files.ts';
import { datasetNotFound, fileNotFound } from '../domain/errors.ts';
import { datasetOfUpload } from '../domain/object-keys.ts';
import { recordUpload } from '../domain/upload-dataset.ts';
import type { DatasetPorts } from './datasets.ts';

export type DatasetFileUseCases = ReturnType<typeof datasetFileUseCases>;

/** What whoever has a ticket may do, where the platform itself keeps the bytes. */
export function datasetFileUseCases({ datasets, files, clock, maxBytes, wake }: DatasetPorts) {
  const localEndpoint = () => {
    if (!files.localEndpoint) throw fileNotFound();
    return files.localEndpoint;
  };
  return {
    /** Takes the bytes; the dataset goes on by itself as soon as they are there. */
    async uploadFile(
      ticket: string,
      head: UploadHead,
      body: AsyncIterable<Uint8Array>,
      requestId: string,
    ): Promise<{ readonly bytes: number; readonly checksum: string }> {
      const permit = localEndpoint().readUpload(ticket);
      const { key: objectKey } = permit;
      const ref = datasetOfUpload(objectKey);
      // What pods write of their steps is looked for where it belongs to.
      if (!ref) return localEndpoint().receive(permit, head, body);
      const { organisationId, datasetId } = ref;
      const awaits = async () => (await datasets.find(organisationId, datasetId))?.upload;
      if ((await awaits())?.objectKey !== objectKey) throw datasetNotFound();
      const received = await localEndpoint().receive(permit, head, body);
      const at = clock.now();
      const uploaded = { bytes: received.bytes, objectKey, maxBytes: Math.max(maxBytes, permit.maxBytes) };
      try {
        await datasets.change(serviceActorContext('pipelines', organisationId, requestId), datasetId, (dataset) =>
          recordUpload(dataset, uploaded, at),
        );
      } catch (error) {
        const upload = await awaits();
        // The dataset has gone on without them.
        if (upload?.objectKey !== objectKey || upload.status === 'EXPIRED') await files.remove([objectKey]);
        throw error;
      }
      wake();
      return received;
    },

    downloadFile: (ticket: string): Promise<DatasetContent> => localEndpoint().open(ticket),
  };
}
