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
  | { readonly path: string; readonly file: { readonly bytes: Uint8Array; readonly digest: string } }
  | { readonly path: string; readonly folder: true }
  /** With all that is in it. */
  | { readonly path: string; readonly removed: true };

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
  /** Of the files of all other notebooks of the organisation. */
  readonly otherBytes: number;
  /** What is to be written, in this order; nothing of a folder that was found. */
  readonly steps: readonly FolderStep[];
}

/** What has to be done about what is kept. */
export type FolderStep =
  | { readonly entry: FolderEntry; readonly bytes: Uint8Array | undefined }
  | { readonly removed: string };

export type RefusalReason = 'not_a_path' | 'taken' | 'not_found' | 'full';

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
    if (grows <= 0) return true;
    if (bytes + grows > limits.notebookBytes)
      return refuse(path, 'full', `The files of a notebook have up to ${String(limits.notebookBytes / MIB)} MiB`);
    if (folder.otherBytes + bytes + grows > limits.organisationBytes)
      return refuse(
        path,
        'full',
        `The files of all notebooks of an organisation have up to ${String(limits.organisationBytes / MIB)} MiB`,
      );
    return true;
  };
  const missingFolders = (path: string): string[] => foldersOn(path).filter((one) => !entries.has(one));

  const change = (wanted: FolderChange): void => {
    const { path } = wanted;
    const known = entries.get(path);
    if ('removed' in wanted) {
      if (!known) return void refuse(path, 'not_found', 'There is no such file');
      for (const one of [...entries.keys()]) {
        if (one !== path && !isWithin(one, path)) continue;
        bytes -= entries.get(one)?.sizeBytes ?? 0;
        entries.delete(one);
      }
      steps.push({ removed: path });
      return;
    }
    if (!mayBeAt(path)) return;
    if ('folder' in wanted) {
      if (known) {
        if (known.kind === 'FILE') refuse(path, 'taken', `${path} is a file`);
        return;
      }
      const parents = missingFolders(path);
      if (!hasRoom(path, parents.length + 1, 0, 0)) return;
      for (const parent of [...parents, path]) put(newFolder(parent));
      return;
    }
    const { bytes: content, digest } = wanted.file;
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
  const written = steps.flatMap((step) => ('entry' in step ? [step.entry.path] : []));
  const deleted = steps.flatMap((step) => ('removed' in step ? [step.removed] : []));
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
