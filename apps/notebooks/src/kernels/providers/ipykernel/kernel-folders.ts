import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAMED = /^kernel-(?:work-)?(\d+)-/;

/** A folder of a kernel of this process, which ends it: `work` is what cells write where there is no sandbox. */
export const makeKernelFolder = (kind: '' | 'work-'): Promise<string> =>
  mkdtemp(join(tmpdir(), `kernel-${kind}${process.pid}-`));

/**
 * Removes what kernels of processes have left that were killed: sockets, and keys that messages are signed with. In a container that is
 * started again this process may have the number of the one before; what is older than itself is not its own.
 */
export async function removeLeftFolders(directory = tmpdir()): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  await Promise.all(
    names.map(async (name) => {
      const pid = Number(NAMED.exec(name)?.[1]);
      if (!Number.isInteger(pid)) return;
      const path = join(directory, name);
      const found = await lstat(path).catch(() => undefined);
      if (!found?.isDirectory() || found.uid !== process.getuid?.()) return;
      const isLeft = pid === process.pid ? found.mtimeMs < performance.timeOrigin : !isAlive(pid);
      if (isLeft) await rm(path, { recursive: true, force: true });
    }),
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's is there as well.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
