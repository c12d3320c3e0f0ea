import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { prelink } from './prelink.ts';
import { duckDbLibrary } from './step-program.ts';

/** What DuckDB's addon for Node is linked with, beside it. */
const SHARED_LIBRARY = 'libduckdb.so';

/**
 * DuckDB's addon: beside a prelinked copy of its library, or as it came where that is of another kind. Of each version
 * there is one copy in the directory, whoever makes it: it is large, and whoever is killed removes nothing.
 * It is made in the folder of this process.
 */
export async function prelinkedDuckDb(directory: string, own: string): Promise<string> {
  const original = duckDbLibrary();
  if (process.platform !== 'linux') return original;
  const { version } = JSON.parse(await readFile(join(dirname(original), 'package.json'), 'utf8')) as {
    version: string;
  };
  const folder = join(directory, `engine-${version}`);
  if (!existsSync(folder) && !(await makeCopy(dirname(original), folder, own))) return original;
  return join(folder, basename(original));
}

/** Closed again before anybody else can find it. */
async function prelinkFile(path: string): Promise<boolean> {
  await using library = await open(path, 'r+');
  return await prelink(library);
}

/** All of it is there at once, and who comes later than another leaves it as it is. */
async function makeCopy(from: string, folder: string, directory: string): Promise<boolean> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const own = join(directory, `engine-${randomUUID()}`);
  await mkdir(own, { recursive: true, mode: 0o700 });
  try {
    for (const name of [SHARED_LIBRARY, basename(duckDbLibrary())]) await copyFile(join(from, name), join(own, name));
    const isPrelinked = await prelinkFile(join(own, SHARED_LIBRARY));
    if (isPrelinked)
      await rename(own, folder).catch((error: unknown) => {
        if (!existsSync(folder)) throw error;
      });
    return isPrelinked;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
