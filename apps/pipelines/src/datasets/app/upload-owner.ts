import { serviceActorContext } from '@platform-backend/core';
import { datasetNotFound } from '../domain/errors.ts';
import { datasetOfUpload } from '../domain/object-keys.ts';
import { recordUpload, type ReceivedBytes } from '../domain/upload-dataset.ts';
import type { DatasetPorts } from './datasets.ts';

/** The dataset that awaits the bytes of a key. What pods write of their steps is looked for where it belongs to. */
export const uploadOwner =
  ({ datasets, clock, maxBytes, wake }: Pick<DatasetPorts, 'datasets' | 'clock' | 'maxBytes' | 'wake'>) =>
  (objectKey: string) => {
    const ref = datasetOfUpload(objectKey);
    if (!ref) return undefined;
    const { organisationId, datasetId } = ref;
    return {
      async uploadState() {
        const { upload } = (await datasets.find(organisationId, datasetId)) ?? {};
        if (upload?.objectKey !== objectKey) return 'gone';
        return upload.status === 'EXPIRED' ? 'expired' : 'known';
      },
      notFound: datasetNotFound,
      async recordUpload(received: Omit<ReceivedBytes, 'objectKey'>, requestId: string): Promise<void> {
        const by = serviceActorContext('pipelines', organisationId, requestId);
        const at = clock.now();
        const uploaded = { bytes: received.bytes, objectKey, maxBytes: Math.max(maxBytes, received.maxBytes) };
        await datasets.change(by, datasetId, (dataset) => recordUpload(dataset, uploaded, at));
        wake();
      },
    };
  };
