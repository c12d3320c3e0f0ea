import type { ActorContext } from '@platform-backend/core';

/** A file or a folder of what a kernel works in, as it is kept. */
export interface KernelFile {
  readonly path: string;
  readonly kind: 'FILE' | 'FOLDER';
  /** Another one when its bytes are others. */
  readonly digest: string;
}

/** What a cell has done to it. */
export type KernelFileChange =
  | { readonly path: string; readonly bytes: Uint8Array }
  | { readonly path: string; readonly folder: true }
  | { readonly path: string; readonly removed: true };

/** What is not kept of it, and why, in a sentence. */
export interface UnkeptFile {
  readonly path: string;
  readonly sentence: string;
}

export interface KernelFolderLimits {
  /** Of all files. */
  readonly notebookBytes: number;
  readonly fileBytes: number;
  readonly entries: number;
}

/** The folder of a notebook, for a kernel that works in it. */
export interface KernelFolder {
  readonly limits: KernelFolderLimits;
  readonly list: () => Promise<readonly KernelFile[]>;
  /** Undefined: it is gone. */
  readonly read: (path: string) => Promise<Uint8Array | undefined>;
  /** Keeps what a cell has done. Answers what of it is not kept. */
  readonly write: (changes: readonly KernelFileChange[]) => Promise<readonly UnkeptFile[]>;
  /** Whether there is memory for so much of what a kernel tells, which it is given back; the kernels of all organisations share it. */
  readonly take: (bytes: number) => boolean;
  readonly giveBack: (bytes: number) => void;
  readonly digestOf: (bytes: Uint8Array) => string;
}

/** The folders of notebooks. */
export interface KernelFolders {
  readonly of: (by: ActorContext, notebookId: string, kernelId: string) => KernelFolder;
  /** Calls back with each folder that is another now, and the kernel that has changed it, if one has. */
  readonly listen: (
    changed: (organisationId: string, notebookId: string, writer: string | undefined) => Promise<void>,
  ) => void;
}
