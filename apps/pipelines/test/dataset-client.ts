import type { CsvOptionsInput } from '@platform-backend/contract-pipelines';
import { newId } from '@platform-backend/core';
import type { member } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import type { TestPipelines } from './test-pipelines.ts';

export type DatasetClient = ReturnType<typeof datasetClient>;

type By = ReturnType<typeof member>;
type Format = 'CSV' | 'JSON_LINES' | 'PARQUET';

interface Upload {
  readonly id?: string;
  readonly format?: Format;
  readonly csv?: CsvOptionsInput | null;
}

/** Whoever has a URL needs no other credential. */
const anybody = { caller: { kind: 'anonymous', service: 'gateway', scopes: [] } } as const;

export const ticketIn = (url: string): string => new URL(url).pathname.split('/')[2] ?? '';

/** What a client does with datasets, step by step and in one go. */
export function datasetClient({ datasets, datasetFiles }: Pick<TestPipelines, 'datasets' | 'datasetFiles'>) {
  async function request(name: string, as: By, { id = newId(), format = 'CSV', csv = null }: Upload = {}) {
    return datasets.uploadDataset({ id, name, format, description: '', csv }, as);
  }

  function put(signedUrl: string, contentType: string, bytes: string | Uint8Array) {
    const ticket = ticketIn(signedUrl);
    const all = Buffer.from(bytes);
    async function* pieces() {
      yield await Promise.resolve({ ticket, contentType });
      for (let from = 0; from < all.length; from += 64 * 1024) yield { chunk: all.subarray(from, from + 64 * 1024) };
    }
    return datasetFiles.uploadDatasetFile(pieces(), anybody);
  }

  const settled = async (datasetId: string, as: By) => {
    const over = ['READY', 'FAILED', 'EXPIRED'];
    const isOver = async () => over.includes((await datasets.getDataset({ datasetId }, as)).upload?.status ?? '');
    await waitFor(isOver, { what: 'the reading of an upload' });
    return datasets.getDataset({ datasetId }, as);
  };

  return {
    request,
    put,
    settled,
    async download(url: string): Promise<Buffer> {
      const pieces: Uint8Array[] = [];
      for await (const { chunk } of datasetFiles.downloadDatasetFile({ ticket: ticketIn(url) }, anybody))
        pieces.push(chunk);
      return Buffer.concat(pieces);
    },
    /** Until it is read, well or not. */
    async upload(name: string, bytes: string | Uint8Array, as: By, more: Upload = {}) {
      const { signedUrl, contentType, datasetId } = await request(name, as, more);
      await put(signedUrl, contentType, bytes);
      return settled(datasetId, as);
    },
  };
}
