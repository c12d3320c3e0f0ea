import { describe, expect, it } from '@jest/globals';
import type { Datasets } from '../domain/datasets.ts';
import { memoryBudget } from '../domain/memory-budget.ts';
import { copyDataset, type CopyDatasetPorts } from './copy-dataset.ts';

const by = { organisationId: 'org_1' } as never;
const { signal } = new AbortController();

describe('copying a dataset', () => {
  it('has no more in memory than there is room for, and makes room however it ends', async () => {
    const asked: number[] = [];
    let size = 0;
    const datasets: Datasets = {
      read: (_by, { maxBytes }, _signal, take) => {
        asked.push(maxBytes);
        const file = { name: 'sales', versionId: '', version: 1, sizeBytes: size };
        async function* bytes() {
          yield await Promise.resolve(new Uint8Array(size));
        }
        return take(file, bytes());
      },
    };
    const saved: number[] = [];
    const folders = {
      limits: { fileBytes: 100, notebookBytes: 50 },
      saveFile(_by: unknown, _notebookId: string, path: string, { length }: Uint8Array) {
        if (path === 'full') return Promise.reject(new Error('there is no room'));
        saved.push(length);
        return Promise.resolve({ path });
      },
    } as unknown as CopyDatasetPorts['folders'];
    const copy = copyDataset({ folders, datasets, budget: memoryBudget(10) });
    const copyOf = (bytes: number, path: string | undefined) => {
      size = bytes;
      return copy(by, 'notebook', { datasetId: '', version: 0, format: 'CSV', path }, signal);
    };
    await expect(copyOf(6, undefined)).rejects.toMatchObject({ code: 'busy' });
    await expect(copyOf(5, 'full')).rejects.toThrow('there is no room');
    expect(await copyOf(5, undefined)).toMatchObject({ file: { path: 'sales.csv' }, dataset: { version: 1 } });
    await expect(Promise.allSettled([copyOf(5, 'a'), copyOf(5, 'b')])).resolves.toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'busy' } },
    ]);
    expect([saved, new Set(asked)]).toEqual([[5, 5], new Set([50])]);
  });
});
