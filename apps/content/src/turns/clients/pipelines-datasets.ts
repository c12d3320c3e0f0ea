import type { Dataset as DatasetMessage, DatasetServiceClient } from '@platform-backend/contract-pipelines';
import type { ActorContext } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import type { Dataset, Datasets } from '../domain/datasets.ts';
import { findById, pipelinesCall } from './pipelines-call.ts';

/** A query may take its time; an answer waits for it. */
const timeoutMs = 40_000;

/** Pipelines over gRPC, called on content's own authority for the organisation. */
export const pipelinesDatasets = (
  client: Pick<DatasetServiceClient<CallOptions>, 'getDataset' | 'listDatasets' | 'queryDatasets'>,
): Datasets => ({
  find: (by, id) => findById(id, async () => datasetOf(await client.getDataset({ datasetId: id }, optionsFor(by)))),

  list: async (by, limit) => (await client.listDatasets({ limit }, optionsFor(by))).datasets.map(datasetOf),

  async query(by, query, limit) {
    const { columns, rows, isCut } = await client.queryDatasets({ query, limit }, optionsFor(by));
    return { columns: columns.map(({ name }) => name), rows, isCut };
  },
});

const optionsFor = (by: ActorContext): CallOptions => pipelinesCall(by, timeoutMs);

const datasetOf = ({ id, name, description, currentVersion }: DatasetMessage): Dataset => ({
  id,
  name,
  description,
  columns: (currentVersion?.columns ?? []).map((column) => ({ name: column.name, type: column.type })),
});
