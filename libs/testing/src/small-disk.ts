import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface SmallDisk {
  /** Until there is no byte left. */
  readonly fill: () => void;
  readonly makeRoom: () => void;
  readonly unmount: () => void;
}

/** Large pieces first, and small ones for what is left. */
const PIECES = [64 * 1024, 1024];

/** A disk of its own at a folder, which is made; undefined where none can be mounted, as by others than root. */
export function smallDisk(folder: string, { megabytes }: { readonly megabytes: number }): SmallDisk | undefined {
  mkdirSync(folder, { recursive: true });
  const mounting = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${String(megabytes)}m`, 'tmpfs', folder]);
  if (mounting.status !== 0) return undefined;
  const filler = join(folder, 'filler');
  return {
    fill() {
      const file = openSync(filler, 'w');
      for (const size of PIECES) writeAll(file, Buffer.alloc(size));
      closeSync(file);
    },
    makeRoom: () => rmSync(filler),
    unmount: () => void spawnSync('umount', [folder]),
  };
}

function writeAll(file: number, piece: Buffer): void {
  try {
    for (;;) writeSync(file, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
