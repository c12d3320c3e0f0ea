import { serviceActorContext } from '@platform-backend/core';
import type { ObjectRemovals } from '../domain/datasets.ts';
import { datasetNotFound, urlExpired } from '../domain/errors.ts';
import { datasetOfUpload, organisationOfVersion, stepOfReport } from '../domain/object-keys.ts';
import { recordUpload, type ReceivedBytes } from '../domain/upload-dataset.ts';
import type { DatasetPorts } from './datasets.ts';

interface UploadPorts extends Pick<DatasetPorts, 'datasets' | 'clock' | 'maxBytes' | 'wake'> {
  readonly removals: Pick<ObjectRemovals, 'isOutputAwaited' | 'isStepAwaited'>;
}

/** Who awaits the bytes of a key: a dataset, or the step of a run whose pod puts them there. */
export const uploadOwner =
  ({ datasets, removals, clock, maxBytes, wake }: UploadPorts) =>
  (objectKey: string) => {
    const ref = datasetOfUpload(objectKey);
    if (!ref) return ownerOfStep(objectKey, removals);
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

/** An address of a pod is good for as long as its step is not over. */
function ownerOfStep(objectKey: string, removals: UploadPorts['removals']) {
  const step = stepOfReport(objectKey);
  const organisationId = organisationOfVersion(objectKey);
  const isAwaited = step
    ? () => removals.isStepAwaited(step.organisationId, step.runId, step.stepIndex)
    : organisationId !== undefined && (() => removals.isOutputAwaited(organisationId, objectKey));
  if (!isAwaited) return undefined;
  return {
    uploadState: async () => ((await isAwaited()) ? ('known' as const) : ('gone' as const)),
    notFound: urlExpired,
    // Whoever follows the run looks for them. They are never taken back: by now they may belong to a version.
    recordUpload: () => Promise.resolve(),
  };
}
