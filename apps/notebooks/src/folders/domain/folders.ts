import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { NotebooksEvent } from '../../events.ts';
import type { Folder, FolderEntry } from './folder.ts';

export interface FolderPage extends PageRequest {
  /** What is in this folder alone, and in those within it. */
  readonly folder?: string | undefined;
}

/** A file or a folder with its bytes, where it is a file. */
export interface FolderFile {
  readonly entry: FolderEntry;
  readonly bytes: Uint8Array;
}

/** Where the folders of notebooks are kept. NOT_FOUND: no such notebook. */
export interface Folders {
  /** By path. */
  readonly list: (organisationId: string, notebookId: string, page: FolderPage) => Promise<Page<FolderEntry>>;
  readonly all: (organisationId: string, notebookId: string) => Promise<readonly FolderEntry[]>;
  /** Undefined: nothing is at the path. */
  readonly file: (organisationId: string, notebookId: string, path: string) => Promise<FolderFile | undefined>;
  /** Nobody else changes a folder of the organisation meanwhile. */
  readonly update: <Result>(
    by: ActorContext,
    notebookId: string,
    decide: (folder: Folder) => Decision<Folder, NotebooksEvent, Result>,
  ) => Promise<Result>;
}
