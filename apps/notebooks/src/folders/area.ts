import type { Area } from '@platform-backend/service';
import type { service } from '../service.ts';
import { folderHandlers } from './api/folder-handlers.ts';
import type { OpenedFolders } from './store/open-folders.ts';

export type FoldersExports = ReturnType<typeof foldersArea>['exports'];

/** Folders, as members reach them. */
export const foldersArea = ({ useCases }: OpenedFolders) =>
  ({
    handlers: { NotebookFolderService: folderHandlers(useCases) },
    exports: { useCases },
  }) satisfies Area<typeof service.declaration>;
