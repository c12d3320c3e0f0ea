import { decided, unchanged, type Decision } from '@platform-backend/core';
import type { NotebooksEvent } from '../../events.ts';
import { foldersOn, isWithin, pathProblem } from './file-path.ts';

/** A file, or a folder, in the folder of a notebook. */
export interface FolderEntry {
  readonly path: string;
  readonly kind: 'FILE' | 'FOLDER';
  readonly sizeBytes: number;
  /** SHA-256 of its bytes, in hexadecimal; empty of a folder. */
  readonly digest: string;
  readonly updatedAt: Date;
}

/** What shall be in the folder, or be there no more. */
export type FolderChange =
  | { readonly path: string; readonly file: NewFile }
  /** `isNew`: nothing is there yet. */
  | { readonly path: string; readonly folder: true; readonly isNew?: true }
  /** With all that is in it. `was`: the digest of the file that is meant. */
  | { readonly path: string; readonly removed: true; readonly was?: string }
  | { readonly path: string; readonly movedTo: string };

export interface NewFile {
  readonly bytes: Uint8Array;
  readonly digest: string;
  /** The digest of the file that it takes the place of. */
  readonly was?: string;
  /** It takes the place of none. */
  readonly isNew?: true;
}

export interface FolderLimits {
  /** Of all files of a notebook. */
  readonly notebookBytes: number;
  /** Of all files of all notebooks of an organisation. */
  readonly organisationBytes: number;
  /** Of one file. */
  readonly fileBytes: number;
  /** Files and folders of a notebook. */
  readonly entries: number;
}

/** The folder of a notebook as a change finds it. */
export interface Folder {
  readonly notebookId: string;
  readonly entries: ReadonlyMap<string, FolderEntry>;
  /** Of the checkpoints of its files, which count as files. */
  readonly checkpointBytes: number;
  /** Of the files of all other notebooks of the organisation, with their checkpoints. */
  readonly otherBytes: number;
  /** What is to be written, in this order; nothing of a folder that was found. */
  readonly steps: readonly FolderStep[];
}

/** What has to be done about what is kept. */
export type FolderStep =
  | { readonly entry: FolderEntry; readonly bytes: Uint8Array | undefined }
  | { readonly removed: string }
  | { readonly moved: string; readonly to: string };

export type RefusalReason = 'not_a_path' | 'taken' | 'not_found' | 'full' | 'changed';

/** A change that was not made, and why, for people. */
export interface RefusedChange {
  readonly path: string;
  readonly reason: RefusalReason;
  readonly message: string;
}

const MIB = 1024 * 1024;
/** An event and an entry of the audit log name so many paths. */
const MAX_NAMED = 100;

const bytesOf = (entries: ReadonlyMap<string, FolderEntry>): number =>
  [...entries.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** Why files of so many bytes in all do not fit into a folder, in words; undefined: they do. */
function lackOfRoom({ checkpointBytes, otherBytes }: Folder, bytes: number, limits: FolderLimits): string | undefined {
  if (bytes + checkpointBytes > limits.notebookBytes)
    return `The files of a notebook have up to ${String(limits.notebookBytes / MIB)} MiB`;
  if (otherBytes + bytes + checkpointBytes > limits.organisationBytes)
    return `The files of all notebooks of an organisation have up to ${String(limits.organisationBytes / MIB)} MiB`;
  return undefined;
}

/** Why a file cannot be kept once more as it is, beside the checkpoint that it had; undefined: it can. */
export const lackOfCheckpointRoom = (
  folder: Folder,
  { sizeBytes }: FolderEntry,
  formerBytes: number,
  limits: FolderLimits,
): string | undefined =>
  sizeBytes <= formerBytes ? undefined : lackOfRoom(folder, bytesOf(folder.entries) + sizeBytes - formerBytes, limits);

/** Makes one change after the other; what cannot be made is told, and leaves the others as they are. */
export function changeFolder(
  folder: Folder,
  changes: readonly FolderChange[],
  limits: FolderLimits,
  at: Date,
): Decision<Folder, NotebooksEvent, readonly RefusedChange[]> {
  const entries = new Map(folder.entries);
  const steps: FolderStep[] = [];
  const refused: RefusedChange[] = [];
  let bytes = bytesOf(entries);
  const before = bytes;

  const refuse = (path: string, reason: RefusalReason, message: string): false => {
    refused.push({ path, reason, message });
    return false;
  };
  const put = (entry: FolderEntry, content?: Uint8Array): void => {
    bytes += entry.sizeBytes - (entries.get(entry.path)?.sizeBytes ?? 0);
    entries.set(entry.path, entry);
    steps.push({ entry, bytes: content });
  };
  const newFolder = (path: string): FolderEntry => ({ path, kind: 'FOLDER', sizeBytes: 0, digest: '', updatedAt: at });
  /** Its path may be one, and the way to it consists of folders. */
  const mayBeAt = (path: string): boolean => {
    const problem = pathProblem(path);
    if (problem !== undefined) return refuse(path, 'not_a_path', problem);
    const inTheWay = foldersOn(path).find((one) => entries.get(one)?.kind === 'FILE');
    return inTheWay === undefined || refuse(path, 'taken', `${inTheWay} is a file`);
  };
  const hasRoom = (path: string, more: number, sizeBytes: number, grows: number): boolean => {
    if (entries.size + more > limits.entries)
      return refuse(path, 'full', `The folder of a notebook has up to ${String(limits.entries)} files and folders`);
    if (sizeBytes > limits.fileBytes)
      return refuse(path, 'full', `A file has up to ${String(limits.fileBytes / MIB)} MiB`);
    const lack = grows <= 0 ? undefined : lackOfRoom(folder, bytes + grows, limits);
    return lack === undefined || refuse(path, 'full', lack);
  };
  const missingFolders = (path: string): string[] => foldersOn(path).filter((one) => !entries.has(one));

  const move = ({ path }: FolderEntry, to: string): void => {
    if (to === path) return;
    if (!mayBeAt(to)) return;
    if (isWithin(to, path)) return void refuse(to, 'not_a_path', 'a folder is not moved into itself');
    if (entries.has(to)) return void refuse(to, 'taken', `${to} is there already`);
    const moved = [...entries.values()].filter((one) => one.path === path || isWithin(one.path, path));
    const after = moved.map((one) => ({ ...one, path: to + one.path.slice(path.length) }));
    const problem = after.map((one) => pathProblem(one.path)).find((one) => one !== undefined);
    if (problem !== undefined) return void refuse(to, 'not_a_path', problem);
    const parents = missingFolders(to);
    if (!hasRoom(to, parents.length, 0, 0)) return;
    for (const parent of parents) put(newFolder(parent));
    for (const one of moved) entries.delete(one.path);
    for (const one of after) entries.set(one.path, one);
    steps.push({ moved: path, to });
  };

  const change = (wanted: FolderChange): void => {
    const { path } = wanted;
    const known = entries.get(path);
    if ('removed' in wanted) {
      if (!known) return void refuse(path, 'not_found', 'There is no such file');
      if (wanted.was !== undefined && known.digest !== wanted.was)
        return void refuse(path, 'changed', `${path} is another one`);
      for (const one of [...entries.keys()]) {
        if (one !== path && !isWithin(one, path)) continue;
        bytes -= entries.get(one)?.sizeBytes ?? 0;
        entries.delete(one);
      }
      steps.push({ removed: path });
      return;
    }
    if ('movedTo' in wanted) {
      if (known) move(known, wanted.movedTo);
      else refuse(path, 'not_found', 'There is no such file');
      return;
    }
    if (!mayBeAt(path)) return;
    if ('folder' in wanted) {
      if (known) {
        if (known.kind === 'FILE' || wanted.isNew) refuse(path, 'taken', `${path} is there already`);
        return;
      }
      const parents = missingFolders(path);
      if (!hasRoom(path, parents.length + 1, 0, 0)) return;
      for (const parent of [...parents, path]) put(newFolder(parent));
      return;
    }
    const { bytes: content, digest, was, isNew } = wanted.file;
    if (isNew && known) return void refuse(path, 'taken', `${path} is there already`);
    if (was !== undefined && known?.digest !== was) return void refuse(path, 'changed', `${path} is another one`);
    if (known?.kind === 'FOLDER') return void refuse(path, 'taken', `${path} is a folder`);
    if (known?.digest === digest) return;
    const parents = missingFolders(path);
    const grows = content.length - (known?.sizeBytes ?? 0);
    if (!hasRoom(path, parents.length + (known ? 0 : 1), content.length, grows)) return;
    for (const parent of parents) put(newFolder(parent));
    put({ path, kind: 'FILE', sizeBytes: content.length, digest, updatedAt: at }, content);
  };

  for (const wanted of changes) change(wanted);
  if (steps.length === 0) return { ...unchanged(folder), result: refused };
  const written = steps.flatMap((step) => ('entry' in step ? [step.entry.path] : 'to' in step ? [step.to] : []));
  const deleted = steps.flatMap((step) => ('removed' in step ? [step.removed] : 'moved' in step ? [step.moved] : []));
  const { notebookId } = folder;
  const named = { written: written.slice(0, MAX_NAMED), deleted: deleted.slice(0, MAX_NAMED) };
  return decided<Folder, NotebooksEvent, readonly RefusedChange[]>(
    { ...folder, entries, steps },
    {
      name: 'notebook.files_changed',
      subject: notebookId,
      at,
      data: { notebook_id: notebookId, ...named, changes: written.length + deleted.length, size_bytes: bytes },
      change: { before: { files_size_bytes: before }, after: { files_size_bytes: bytes, ...named } },
    },
    refused,
  );
}
