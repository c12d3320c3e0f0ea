import { isAlive } from '@platform-backend/embedded/process-identity';
import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const SHARED_MEMORY = '/dev/shm';

/** Bytes. A whole run has at most a third of it at once. */
const ROOM = 4 * 2 ** 30;

const NAME = /^tests-(\d+)-/;

/**
 * A folder for all that one run of tests writes: servers' data above all, hundreds of files for each database. It is in memory
 * where there is room, which takes a tenth of the work of a disk, and otherwise where `TMPDIR` says. What runs left that were
 * killed goes.
 */
export function makeTestDirectory(): string {
  const parent = process.env['TMPDIR'] === undefined && hasRoom(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();
  sweep(parent);
  const directory = mkdtempSync(join(parent, `tests-${process.pid}-`));
  // Servers that root starts run as somebody else.
  chmodSync(directory, 0o1777);
  return directory;
}

/** Whether programs can be kept and run there, too. */
function hasRoom(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize > ROOM && process.availableMemory() > 2 * ROOM && !isMountedNoexec(directory);
  } catch {
    return false;
  }
}

function isMountedNoexec(directory: string): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  const options = mounts.findLast(([, mounted]) => mounted === directory)?.[3] ?? '';
  return options.split(',').includes('noexec');
}

function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(NAME.exec(name)?.[1] ?? 0);
    if (pid > 0 && !isAlive(pid)) removeIfPossible(join(parent, name));
  }
}

/** A process that such a run has left may still write there, or have something mounted: then a later run removes it. */
function removeIfPossible(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // What is left is as good as before.
  }
}
