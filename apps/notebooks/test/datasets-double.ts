import { pipelinesContract, type ReadDatasetFileRequest } from '@platform-backend/contract-pipelines';
import { notFound, tooLarge } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { standIn } from '@platform-backend/service/testing';
import { keys } from './test-notebooks.ts';

interface DatasetDouble {
  readonly name: string;
  readonly content: string;
  readonly version?: number;
  /** The bytes end before they are all there. */
  readonly isCut?: true;
}

/** Stands in for pipelines: has the datasets that it is given, each of one organisation. */
export async function datasetsDouble() {
  const datasets = new Map<string, DatasetDouble>();
  const keyOf = (organisationId: string, datasetId: string) => `${organisationId} ${datasetId}`;
  const DatasetService = {
    async *readDatasetFile({ datasetId, maxBytes }: ReadDatasetFileRequest, context: CallContext) {
      const found = await Promise.resolve(datasets.get(keyOf(context.organisationId(), datasetId)));
      if (!found) throw notFound('Dataset');
      const { name: datasetName, content, version = 1, isCut } = found;
      const bytes = Buffer.from(content);
      if (bytes.length > maxBytes) throw tooLarge();
      yield { file: { datasetName, versionId: datasetId, version, sizeBytes: bytes.length } };
      const half = Math.floor(bytes.length / 2);
      yield { chunk: bytes.subarray(0, half) };
      if (!isCut) yield { chunk: bytes.subarray(half) };
    },
  };
  return {
    ...(await standIn(pipelinesContract, { DatasetService }, keys)),
    /** In place of the one of that id. */
    add: (organisationId: string, id: string, dataset: DatasetDouble) =>
      void datasets.set(keyOf(organisationId, id), dataset),
  };
}
