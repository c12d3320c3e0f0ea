import type { Clock, Logger } from '@platform-backend/core';
import type { Database } from '@platform-backend/postgres';
import { folderUseCases } from '../app/folders.ts';
import { kernelFolders } from '../app/kernel-folders.ts';
import { memoryBudget } from '../domain/memory-budget.ts';
import { digestOf } from './digest.ts';
import { foldersStore } from './folders-store.ts';

const MIB = 1024 * 1024;
/** As large as an upload is taken. */
const FILE_BYTES = 32 * MIB;
const MAX_ENTRIES = 1_000;
/** What kernels tell lies in memory until it is kept; one cell tells up to a folder and a file. */
const TOLD_BYTES = 256 * MIB;
/** Datasets that are copied lie in memory until they are kept. */
const COPIED_BYTES = 4 * FILE_BYTES;

export interface FoldersContext {
  readonly settings: {
    readonly NOTEBOOKS_FOLDER_MB: number;
    readonly NOTEBOOKS_FOLDERS_PER_ORGANISATION_MB: number;
  };
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type OpenedFolders = ReturnType<typeof openFolders>;

/** The folders of notebooks: the files in which their kernels work. They go with the notebook. */
export const openFolders = ({ settings, database, clock, logger }: FoldersContext) => {
  const notebookBytes = settings.NOTEBOOKS_FOLDER_MB * MIB;
  const useCases = folderUseCases({
    folders: foldersStore(database),
    limits: {
      notebookBytes,
      organisationBytes: settings.NOTEBOOKS_FOLDERS_PER_ORGANISATION_MB * MIB,
      fileBytes: FILE_BYTES,
      entries: MAX_ENTRIES,
    },
    digestOf,
    clock,
    logger,
  });
  const budget = memoryBudget(Math.max(TOLD_BYTES, 2 * (notebookBytes + FILE_BYTES)));
  return { useCases, ofKernels: kernelFolders(useCases, digestOf, budget), copies: memoryBudget(COPIED_BYTES) };
};
