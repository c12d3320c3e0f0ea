import { createHash } from 'node:crypto';
import type { KernelFolder } from '../domain/kernel-folder.ts';

export interface FolderInMemory extends KernelFolder {
  /** Folders are undefined. */
  readonly files: Map<string, Buffer | undefined>;
  /** How often a cell has changed something. */
  readonly writes: number;
  /** From now on nothing is kept, for this reason. */
  readonly refuse: (reason: string | Error | undefined) => void;
  /** Of the memory for what kernels tell. */
  readonly taken: number;
}

const MIB = 2 ** 20;

/** The folder of a notebook as a kernel is given it. */
export function folderInMemory(files: Readonly<Record<string, string>> = {}): FolderInMemory {
  const kept = new Map<string, Buffer | undefined>(
    Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]),
  );
  let writes = 0;
  let taken = 0;
  let reason: string | Error | undefined;
  const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  return {
    files: kept,
    get writes() {
      return writes;
    },
    refuse: (why) => (reason = why),
    get taken() {
      return taken;
    },
    take(bytes) {
      taken += bytes;
      return true;
    },
    giveBack: (bytes) => void (taken -= bytes),
    limits: { notebookBytes: 16 * MIB, fileBytes: 8 * MIB, entries: 100 },
    digestOf,
    list: () =>
      Promise.resolve(
        [...kept].map(([path, bytes]) =>
          bytes ? { path, kind: 'FILE', digest: digestOf(bytes) } : { path, kind: 'FOLDER', digest: '' },
        ),
      ),
    read: (path) => Promise.resolve(kept.get(path)),
    write(changes) {
      if (reason instanceof Error) return Promise.reject(reason);
      const sentence = reason;
      if (sentence !== undefined) return Promise.resolve(changes.map(({ path }) => ({ path, sentence })));
      writes += 1;
      for (const change of changes) {
        if ('removed' in change) kept.delete(change.path);
        else kept.set(change.path, 'bytes' in change ? Buffer.from(change.bytes) : undefined);
      }
      return Promise.resolve([]);
    },
  };
}
