import type { Clock, Logger } from '@platform-backend/core';
import type { Database } from '@platform-backend/postgres';
import { folderUseCases } from '../app/folders.ts';
import { kernelFolders } from '../app/kernel-folders.ts';
import { digestOf } from './digest.ts';
import { foldersStore } from './folders-store.ts';

const MIB = 1024 * 1024;
/** As large as an upload is taken. */
const FILE_BYTES = 32 * MIB;
const MAX_ENTRIES = 1_000;

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
  const useCases = folderUseCases({
    folders: foldersStore(database),
    limits: {
      notebookBytes: settings.NOTEBOOKS_FOLDER_MB * MIB,
      organisationBytes: settings.NOTEBOOKS_FOLDERS_PER_ORGANISATION_MB * MIB,
      fileBytes: FILE_BYTES,
      entries: MAX_ENTRIES,
    },
    digestOf,
    clock,
    logger,
  });
  return { useCases, ofKernels: kernelFolders(useCases, digestOf) };
};
