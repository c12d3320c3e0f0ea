import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ownDirectory } from './own-directory.ts';

const program = fileURLToPath(new URL('make-snapshot.ts', import.meta.url));
const { version } = createRequire(import.meta.url)('pyodide/package.json') as { version: string };

/**
 * A file with the memory of a Python that has just started: a guest that begins with it is ready after 0.35 s of CPU, and not 2.6. It is
 * made once for each release of Pyodide and of Node, by a process that runs nothing else, and shared by all replicas of this user.
 *
 * @throws Error when it cannot be made, or others could have written it.
 */
export async function pythonSnapshot(): Promise<string> {
  const directory = await ownDirectory(join(tmpdir(), `python-snapshots-${process.getuid?.() ?? 0}`));
  const file = join(directory, `pyodide-${version}-node-${process.versions.node}`);
  if (existsSync(file)) return file;
  const unfinished = `${file}-${randomUUID()}`;
  try {
    await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', program, unfinished], {
      env: {},
    });
    // Whole, or not there; who comes later than another writes the same.
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
  return file;
}
