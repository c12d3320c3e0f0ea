import { isAlive, startTimeOf } from '@platform-backend/embedded';
import { linkSync, renameSync, rmSync } from 'node:fs';
import { homePaths, readOwnJson, writePrivately } from './home.ts';

interface Holder {
  readonly pid: number;
  readonly startTime?: string;
}

/**
 * Makes sure that one starter at a time works on a home. A lock whose holder is gone, or whose process
 * id now belongs to another program, is taken over.
 *
 * @throws Error with one clear sentence when another starter holds it.
 */
export function lockHome(home: string): { release: () => void } {
  const { lock, runFile } = homePaths(home);
  const mine = `${lock}.${String(process.pid)}.claim`;
  const startTime = startTimeOf(process.pid);
  writePrivately(mine, { pid: process.pid, ...(startTime === undefined ? {} : { startTime }) } satisfies Holder);
  try {
    while (!claimed(mine, lock)) {
      const holder = readHolder(lock);
      if (holder && isHeld(holder)) {
        const { url } = (readOwnJson(runFile) ?? {}) as { url?: string };
        const where = url === undefined ? '' : ` on ${url}`;
        throw new Error(
          `The platform in ${home} already runs${where} (process ${String(holder.pid)}); stop it, or choose another PLATFORM_HOME and PLATFORM_PORT.`,
        );
      }
      setAside(lock);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return { release: () => rmSync(lock, { force: true }) };
}

/** A hard link either is made or is not, so of two starters exactly one gets the lock. */
function claimed(mine: string, lock: string): boolean {
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A lock that cannot be understood was cut off while being written, and holds nothing. */
function readHolder(lock: string): Holder | undefined {
  try {
    return readOwnJson(lock) as Holder | undefined;
  } catch {
    return undefined;
  }
}

function isHeld({ pid, startTime }: Holder): boolean {
  return isAlive(pid) && startTimeOf(pid) === startTime;
}

/** Renaming fails for the slower of two starters, which then simply looks again. */
function setAside(lock: string): void {
  const aside = `${lock}.${String(process.pid)}.stale`;
  try {
    renameSync(lock, aside);
    rmSync(aside, { force: true });
  } catch {
    // Somebody else set it aside.
  }
}
