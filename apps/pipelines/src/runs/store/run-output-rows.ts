import { notFound } from '@platform-backend/core';
import { findDatasets } from '../../datasets/store/datasets-store.ts';
import { recordRunOutputs } from '../../datasets/store/run-outputs.ts';
import type { RecordOutputs } from './runs-store.ts';

/** Makes versions of datasets of what a step has made, and says which they are. */
export const recordOutputs: RecordOutputs = async (trx, by, outputs, at) => {
  await recordRunOutputs(trx, by, outputs, at);
  const found = await findDatasets(
    trx,
    by.organisationId,
    outputs.map(({ dataset }) => dataset),
  );
  return outputs.map(({ dataset: reference, versionId, objectKey, rows, bytes }) => {
    const dataset = found.get(reference);
    if (!dataset) throw notFound('Dataset');
    return { name: dataset.name, datasetId: dataset.id, datasetVersionId: versionId, objectKey, rows, bytes };
  });
};
