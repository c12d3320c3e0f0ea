import { beginningOf } from '@platform-backend/core';
import type { KernelFileChange, KernelFolder, KernelFolderLimits } from '../domain/kernel-folder.ts';
import type { KernelMessage } from '../domain/kernel-provider.ts';
import { sizeOf } from '../domain/message-size.ts';
import { readJson } from './jupyter/messages.ts';

/** What a cell has changed in the folder of its kernel. */
export interface FolderReport {
  readonly changes: readonly KernelFileChange[];
  /** Sentences about what is not kept. */
  readonly notes: string[];
  /** Of the memory for what kernels tell, to be given back. */
  readonly bytes: number;
}

/** A report that is whole: its number, and that of the last change of others before it. */
interface HeardReport {
  readonly until: number;
  readonly brought: number;
  /** Undefined: it is lost, as there was no room for it. */
  readonly report: FolderReport | undefined;
}

/** Puts together what a kernel tells message by message, in the memory that there is for it. */
interface FolderReports {
  /** Undefined: more comes. */
  readonly hear: (message: KernelMessage) => HeardReport | undefined;
  /** Whoever tells is gone. */
  readonly forget: () => void;
}

/** What comes of a cell in one go beyond the limits is not kept, whatever the kernel says. */
const MAX_CHANGES = 5_000;
/** Of a path that may be anything. */
const MAX_SHOWN_PATH = 300;
/** A message takes so much more memory than it has bytes. */
const MESSAGE_BYTES = 1_024;
const MIB = 2 ** 20;

/** What a kernel tells, up to its end. */
interface Coming {
  readonly changes: KernelFileChange[];
  readonly notes: string[];
  bytes: number;
  file: { readonly path: string; readonly pieces: Uint8Array[] } | undefined;
  /** Nothing of it is kept. */
  isTooMuch: boolean;
}

export function folderReports(folder: KernelFolder): FolderReports {
  let coming: Coming = nothing();

  /** Forgets what has come, and has its memory given back. */
  const drop = (isTooMuch: boolean): void => {
    folder.giveBack(coming.bytes);
    coming = { ...nothing(), isTooMuch };
  };

  /** Whether there is memory for a message of what comes. */
  const hold = (message: KernelMessage): boolean => {
    if (coming.isTooMuch) return false;
    const bytes = sizeOf(message) + MESSAGE_BYTES;
    const isWithin = coming.bytes + bytes <= folder.limits.notebookBytes + folder.limits.fileBytes;
    if (!isWithin || coming.changes.length >= MAX_CHANGES || !folder.take(bytes)) {
      drop(true);
      return false;
    }
    coming.bytes += bytes;
    return true;
  };

  const hearPiece = (path: string, piece: Uint8Array, isAdded: boolean, more: boolean): void => {
    // One that was interrupted begins anew.
    if (!isAdded) coming.file = { path, pieces: [] };
    if (coming.file?.path !== path) return;
    // A part of a message keeps all of it in memory, and what came with it.
    coming.file.pieces.push(new Uint8Array(piece));
    if (more) return;
    coming.changes.push({ path, bytes: Buffer.concat(coming.file.pieces) });
    coming.file = undefined;
  };

  return {
    hear(message) {
      const content = readJson(message.content) ?? {};
      const isHeld = hold(message);
      const { end, brought, path } = content;
      if (typeof end === 'number') {
        const report = isHeld ? coming : undefined;
        coming = nothing();
        return { until: end, brought: typeof brought === 'number' ? brought : 0, report };
      }
      if (!isHeld || typeof path !== 'string') return undefined;
      if (content['removed'] === true) coming.changes.push({ path, removed: true });
      else if (content['folder'] === true) coming.changes.push({ path, folder: true });
      else if (content['unread'] === true) coming.notes.push(unkept(path, 'it cannot be read'));
      else if (typeof content['too_large'] === 'number')
        coming.notes.push(unkept(path, tooLarge(content['too_large'], folder.limits)));
      else hearPiece(path, message.buffers[0] ?? Buffer.alloc(0), content['added'] === true, content['more'] === true);
      return undefined;
    },
    forget: () => drop(false),
  };
}

const unkept = (path: string, why: string): string =>
  `${JSON.stringify(beginningOf(path, MAX_SHOWN_PATH))} is not kept when the kernel ends: ${why}`;

const tooLarge = (bytes: number, { fileBytes, notebookBytes }: KernelFolderLimits): string =>
  `it has ${inMebibytes(bytes)} MiB; a file has up to ${inMebibytes(fileBytes)}, all of a notebook together ${inMebibytes(notebookBytes)}`;

const inMebibytes = (bytes: number): string => String(Math.ceil(bytes / MIB));

const nothing = (): Coming => ({ changes: [], notes: [], bytes: 0, file: undefined, isTooMuch: false });
