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

/** A file as it was once. */
export interface FileCheckpoint {
  readonly id: string;
  readonly sizeBytes: number;
  readonly createdAt: Date;
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
  readonly checkpoints: FileCheckpoints;
}

/** Each file has one, which goes and moves with it. NOT_FOUND: no such notebook. */
export interface FileCheckpoints {
  /** In place of the one that there was. Undefined: there is no such file. */
  readonly keep: (
    organisationId: string,
    file: { readonly notebookId: string; readonly path: string },
    made: { readonly id: string; readonly createdAt: Date },
    /** Throws where there is no room for it. */
    check: (folder: Folder, entry: FolderEntry, formerBytes: number) => void,
  ) => Promise<FileCheckpoint | undefined>;
  readonly find: (organisationId: string, notebookId: string, path: string) => Promise<FileCheckpoint | undefined>;
  /** Undefined: the file has no such checkpoint. */
  readonly bytes: (
    organisationId: string,
    file: { readonly notebookId: string; readonly path: string },
    checkpointId: string,
  ) => Promise<Uint8Array | undefined>;
  /** Whether there was one. */
  readonly remove: (
    organisationId: string,
    file: { readonly notebookId: string; readonly path: string },
    checkpointId: string,
  ) => Promise<boolean>;
}
