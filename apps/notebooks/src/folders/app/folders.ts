import type { ActorContext, Clock, Logger } from '@platform-backend/core';
import { fileNotFound, filePathTaken, folderFull, notAFilePath } from '../domain/errors.ts';
import {
  changeFolder,
  type Folder,
  type FolderChange,
  type FolderLimits,
  type RefusedChange,
} from '../domain/folder.ts';
import type { FolderPage, Folders } from '../domain/folders.ts';

export interface FolderPorts {
  readonly folders: Folders;
  readonly limits: FolderLimits;
  /** SHA-256, in hexadecimal. */
  readonly digestOf: (bytes: Uint8Array) => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Told of a folder that is another now. `writer`: the kernel whose cell has changed it. */
type FolderListener = (organisationId: string, notebookId: string, writer: string | undefined) => Promise<void>;

export type FolderUseCases = ReturnType<typeof folderUseCases>;

/** So long whoever changes a folder waits for the kernels that work in it to hear of that. */
const TELL_MS = 2_000;

export function folderUseCases({ folders, limits, digestOf, clock, logger }: FolderPorts) {
  const listeners = new Set<FolderListener>();

  /** Answers those that cannot be made, and what is in the folder afterwards. */
  const change = async (
    by: ActorContext,
    notebookId: string,
    changes: readonly FolderChange[],
    writer?: string,
  ): Promise<{ readonly refused: readonly RefusedChange[]; readonly entries: Folder['entries'] }> => {
    const { refused, entries, isChanged } = await folders.update(by, notebookId, (folder) => {
      const decision = changeFolder(folder, changes, limits, clock.now());
      const { state, result } = decision;
      return { ...decision, result: { refused: result, entries: state.entries, isChanged: state !== folder } };
    });
    if (isChanged) await tell(by.organisationId, notebookId, writer);
    return { refused, entries };
  };

  /** It is changed, whether anybody hears of that or not. */
  const tell = async (organisationId: string, notebookId: string, writer: string | undefined): Promise<void> => {
    const telling = [...listeners].map((listener) =>
      listener(organisationId, notebookId, writer).catch((error: unknown) =>
        logger.warn(
          { event: 'notebook_folder.not_told', err: error, notebookId },
          'kernels have not heard of files that have changed',
        ),
      ),
    );
    const late = new Promise((resolve) => setTimeout(resolve, TELL_MS).unref());
    await Promise.race([Promise.all(telling), late]);
  };

  /** One, which is made or refused. */
  const changeOne = async (by: ActorContext, notebookId: string, wanted: FolderChange): Promise<Folder['entries']> => {
    const { refused, entries } = await change(by, notebookId, [wanted]);
    if (refused[0]) throw refusalOf(refused[0]);
    return entries;
  };

  return {
    listFiles: (organisationId: string, notebookId: string, page: FolderPage) =>
      folders.list(organisationId, notebookId, page),
    allFiles: (organisationId: string, notebookId: string) => folders.all(organisationId, notebookId),
    /** NOT_FOUND: nothing is at the path. A folder has no bytes. */
    async getFile(organisationId: string, notebookId: string, path: string) {
      const found = await folders.file(organisationId, notebookId, path);
      if (!found) throw fileNotFound();
      return found;
    },
    findFile: folders.file,

    async saveFile(by: ActorContext, notebookId: string, path: string, bytes: Uint8Array) {
      const saved = (await changeOne(by, notebookId, { path, file: { bytes, digest: digestOf(bytes) } })).get(path);
      if (!saved) throw fileNotFound();
      return saved;
    },
    async removeFile(by: ActorContext, notebookId: string, path: string): Promise<void> {
      await changeOne(by, notebookId, { path, removed: true });
    },

    changeFiles: async (by: ActorContext, notebookId: string, changes: readonly FolderChange[], writer: string) =>
      (await change(by, notebookId, changes, writer)).refused,
    /** Told of every change that is made in this replica. */
    listen: (listener: FolderListener): void => void listeners.add(listener),
    limits,
  };
}

function refusalOf({ path, reason, message }: RefusedChange): Error {
  if (reason === 'not_a_path') return notAFilePath({ reason: message });
  if (reason === 'taken') return filePathTaken({ path });
  return reason === 'full' ? folderFull({ reason: message }) : fileNotFound();
}
