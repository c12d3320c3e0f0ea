import { busy, unavailable, type ActorContext } from '@platform-backend/core';
import { datasetFileName, type DatasetFile, type Datasets, type DatasetSelection } from '../domain/datasets.ts';
import { notAFilePath } from '../domain/errors.ts';
import { pathProblem } from '../domain/file-path.ts';
import type { FolderEntry } from '../domain/folder.ts';
import type { MemoryBudget } from '../domain/memory-budget.ts';
import type { FolderUseCases } from './folders.ts';

export interface CopyDatasetPorts {
  readonly folders: FolderUseCases;
  readonly datasets: Datasets;
  /** For files that come, until they are kept. */
  readonly budget: MemoryBudget;
}

export interface DatasetCopy extends DatasetSelection {
  /** Undefined: by the name of the dataset. */
  readonly path: string | undefined;
}

export interface CopiedDataset {
  readonly file: FolderEntry;
  readonly dataset: DatasetFile;
}

export type CopyDataset = ReturnType<typeof copyDataset>;

/**
 * Copies a version of a dataset into the folder of a notebook. Nothing is written before all of it is there; a copy that is there already
 * stays as it is.
 */
export const copyDataset =
  ({ folders, datasets, budget }: CopyDatasetPorts) =>
  async (
    by: ActorContext,
    notebookId: string,
    { path, ...wanted }: DatasetCopy,
    signal: AbortSignal,
  ): Promise<CopiedDataset> => {
    const problem = path === undefined ? undefined : pathProblem(path);
    if (problem !== undefined) throw notAFilePath({ reason: problem });
    const { organisationId } = by;
    const maxBytes = Math.min(folders.limits.fileBytes, folders.limits.notebookBytes);
    return datasets.read(by, { ...wanted, maxBytes }, signal, async (dataset, bytes) => {
      if (!budget.take(organisationId, dataset.sizeBytes)) throw busy();
      try {
        const content = await wholeOf(bytes, dataset.sizeBytes);
        const at = path ?? datasetFileName(dataset.name, wanted.format);
        return { file: await folders.saveFile(by, notebookId, at, content), dataset };
      } finally {
        budget.giveBack(organisationId, dataset.sizeBytes);
      }
    });
  };

/** UNAVAILABLE: they are more or fewer than was said. */
async function wholeOf(bytes: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const whole = new Uint8Array(size);
  let at = 0;
  for await (const piece of bytes) {
    if (at + piece.length <= size) whole.set(piece, at);
    at += piece.length;
    if (at > size) break;
  }
  if (at !== size) throw unavailable(new Error(`a dataset of ${String(size)} bytes came with ${String(at)}`));
  return whole;
}
