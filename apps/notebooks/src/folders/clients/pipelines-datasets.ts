import type { DatasetServiceClient, ReadDatasetFileAnswer } from '@platform-backend/contract-pipelines';
import type { CallOptions } from '@platform-backend/grpc';
import type { Datasets } from '../domain/datasets.ts';

/** A little less than whoever asks waits for, by the contract. */
const timeoutMs = 28_000;

/** Pipelines over gRPC, called on notebooks' own authority for the organisation. */
export const pipelinesDatasets = (client: Pick<DatasetServiceClient<CallOptions>, 'readDatasetFile'>): Datasets => ({
  async read({ organisationId, requestId }, wanted, signal, take) {
    const options = { caller: { organisationId }, requestId, timeoutMs, signal };
    const answers = client.readDatasetFile(wanted, options)[Symbol.asyncIterator]();
    try {
      const first = await answers.next();
      const file = first.done ? null : first.value.file;
      if (!file) throw new Error('a dataset came without saying what it is');
      const { datasetName: name, versionId, version, sizeBytes } = file;
      return await take({ name, versionId, version, sizeBytes }, chunksOf(answers));
    } finally {
      await answers.return?.();
    }
  },
});

async function* chunksOf(answers: AsyncIterator<ReadDatasetFileAnswer>): AsyncGenerator<Uint8Array> {
  for (let next = await answers.next(); !next.done; next = await answers.next()) yield next.value.chunk;
}
