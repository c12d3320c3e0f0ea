import type { DatasetServiceClient } from '@platform-backend/contract-pipelines';
import type { CallOptions } from '@platform-backend/grpc';
import type { Area } from '@platform-backend/service';
import type { NotebooksContext, service } from '../service.ts';
import { folderHandlers } from './api/folder-handlers.ts';
import { copyDataset } from './app/copy-dataset.ts';
import { pipelinesDatasets } from './clients/pipelines-datasets.ts';
import type { OpenedFolders } from './store/open-folders.ts';

export type FoldersExports = ReturnType<typeof foldersArea>['exports'];

/** Folders, as members reach them. */
export const foldersArea = ({ client }: NotebooksContext, { useCases, copies }: OpenedFolders) => {
  const datasets = pipelinesDatasets(client<DatasetServiceClient<CallOptions>>('platform.pipelines.v1.DatasetService'));
  const copying = copyDataset({ folders: useCases, datasets, budget: copies });
  return {
    handlers: { NotebookFolderService: folderHandlers({ ...useCases, copyDataset: copying }) },
    exports: { useCases },
  } satisfies Area<typeof service.declaration>;
};
