import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What is being worked with is younger; whatever is older was left behind by processes that were killed. */
const OLDEST_MS = 24 * 60 * 60 * 1000;

/** Removes the files and folders of a folder that nobody works with any more. */
export async function removeLeftovers(folder: string): Promise<void> {
  const oldest = Date.now() - OLDEST_MS;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < oldest) await rm(path, { recursive: true, force: true });
  }
}
