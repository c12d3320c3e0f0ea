import { newId, type ActorContext, type Clock, type Logger } from '@platform-backend/core';
import { checkpointNotFound } from '../../notebooks/domain/errors.ts';
import { fileChanged, fileNotFound, filePathTaken, folderFull, notAFilePath } from '../domain/errors.ts';
import {
  changeFolder,
  lackOfCheckpointRoom,
  type Folder,
  type FolderChange,
  type FolderEntry,
  type FolderLimits,
  type RefusedChange,
} from '../domain/folder.ts';
import type { FileCheckpoint, FolderPage, Folders } from '../domain/folders.ts';

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

  /** Answers those that cannot be made. */
  const change = async (
    by: ActorContext,
    notebookId: string,
    changes: readonly FolderChange[],
    writer: string,
  ): Promise<readonly RefusedChange[]> => {
    const { refused, isChanged } = await folders.update(by, notebookId, (folder) => {
      const decision = changeFolder(folder, changes, limits, clock.now());
      const { state, result } = decision;
      return { ...decision, result: { refused: result, isChanged: state !== folder } };
    });
    if (isChanged) await tell(by.organisationId, notebookId, writer);
    return refused;
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

  /** All of them, or none where one is refused. */
  const changeAll = async (
    by: ActorContext,
    notebookId: string,
    changes: readonly FolderChange[],
  ): Promise<Folder['entries']> => {
    const { entries, isChanged } = await folders.update(by, notebookId, (folder) => {
      const decision = changeFolder(folder, changes, limits, clock.now());
      const { state, result } = decision;
      if (result[0]) throw refusalOf(result[0]);
      return { ...decision, result: { entries: state.entries, isChanged: state !== folder } };
    });
    if (isChanged) await tell(by.organisationId, notebookId, undefined);
    return entries;
  };

  const saveFile = async (
    by: ActorContext,
    notebookId: string,
    path: string,
    bytes: Uint8Array,
    over: { readonly was?: string; readonly isNew?: true } = {},
  ): Promise<FolderEntry> => {
    const file = { bytes, digest: digestOf(bytes), ...over };
    const saved = (await changeAll(by, notebookId, [{ path, file }])).get(path);
    if (!saved) throw fileNotFound();
    return saved;
  };

  return {
    listFiles: (organisationId: string, notebookId: string, page: FolderPage) =>
      folders.list(organisationId, notebookId, page),
    /** NOT_FOUND: there is none. */
    async requireNotebook(organisationId: string, notebookId: string): Promise<void> {
      await folders.list(organisationId, notebookId, { limit: 1, cursor: '', includeTotal: false });
    },
    allFiles: (organisationId: string, notebookId: string) => folders.all(organisationId, notebookId),
    /** NOT_FOUND: nothing is at the path. A folder has no bytes. */
    async getFile(organisationId: string, notebookId: string, path: string) {
      const found = await folders.file(organisationId, notebookId, path);
      if (!found) throw fileNotFound();
      return found;
    },
    findFile: folders.file,

    saveFile,
    /** Behind the bytes that the file has. CONFLICT: somebody else has written it meanwhile. */
    async appendToFile(by: ActorContext, notebookId: string, path: string, bytes: Uint8Array) {
      const found = await folders.file(by.organisationId, notebookId, path);
      if (found?.entry.kind !== 'FILE') throw fileNotFound();
      const whole = new Uint8Array(found.bytes.length + bytes.length);
      whole.set(found.bytes);
      whole.set(bytes, found.bytes.length);
      return saveFile(by, notebookId, path, whole, { was: found.entry.digest });
    },
    /** `isNew`: nothing is there yet. */
    async makeFolder(by: ActorContext, notebookId: string, path: string, isNew: boolean): Promise<FolderEntry> {
      const entries = await changeAll(by, notebookId, [{ path, folder: true, ...(isNew && { isNew }) }]);
      const made = entries.get(path);
      if (!made) throw fileNotFound();
      return made;
    },
    /** A file, or a folder with all that is in it. */
    async moveFile(by: ActorContext, notebookId: string, path: string, movedTo: string): Promise<FolderEntry> {
      const moved = (await changeAll(by, notebookId, [{ path, movedTo }])).get(movedTo);
      if (!moved) throw fileNotFound();
      return moved;
    },
    /** `was`: the digest of the file that is meant. */
    async removeFile(by: ActorContext, notebookId: string, path: string, was?: string): Promise<void> {
      await changeAll(by, notebookId, [{ path, removed: true, ...(was !== undefined && { was }) }]);
    },

    findCheckpoint: folders.checkpoints.find,
    async keepCheckpoint(organisationId: string, notebookId: string, path: string): Promise<FileCheckpoint> {
      const made = { id: newId(), createdAt: clock.now() };
      const kept = await folders.checkpoints.keep(
        organisationId,
        { notebookId, path },
        made,
        (folder, entry, former) => {
          const lack = lackOfCheckpointRoom(folder, entry, former, limits);
          if (lack !== undefined) throw folderFull({ reason: lack });
        },
      );
      if (!kept) throw fileNotFound();
      return kept;
    },
    async restoreCheckpoint(by: ActorContext, notebookId: string, path: string, checkpointId: string): Promise<void> {
      const bytes = await folders.checkpoints.bytes(by.organisationId, { notebookId, path }, checkpointId);
      if (!bytes) throw checkpointNotFound();
      await saveFile(by, notebookId, path, bytes);
    },
    async removeCheckpoint(organisationId: string, notebookId: string, path: string, checkpointId: string) {
      if (!(await folders.checkpoints.remove(organisationId, { notebookId, path }, checkpointId)))
        throw checkpointNotFound();
    },

    changeFiles: (by: ActorContext, notebookId: string, changes: readonly FolderChange[], writer: string) =>
      change(by, notebookId, changes, writer),
    /** Told of every change that is made in this replica. */
    listen: (listener: FolderListener): void => void listeners.add(listener),
    limits,
  };
}

function refusalOf({ path, reason, message }: RefusedChange): Error {
  if (reason === 'not_a_path') return notAFilePath({ reason: message });
  if (reason === 'taken') return filePathTaken({ path });
  if (reason === 'changed') return fileChanged();
  return reason === 'full' ? folderFull({ reason: message }) : fileNotFound();
}
