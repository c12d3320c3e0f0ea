import { copyFile, mkdir, open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { prelink } from './prelink.ts';
import { engineLibrary } from './step-program-files.ts';

/** What the engine's addon for Node is linked with, beside it. */
const SHARED_LIBRARY = 'libduckdb.so';

/** The engine's addon: beside a prelinked copy of its library in this folder, or as it came where that is of another kind. */
export async function prelinkedEngine(folder: string): Promise<string> {
  const original = engineLibrary();
  if (process.platform !== 'linux') return original;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const copyOf = async (name: string): Promise<string> => {
    await copyFile(join(dirname(original), name), join(folder, name));
    return join(folder, name);
  };
  const library = await open(await copyOf(SHARED_LIBRARY), 'r+');
  try {
    if (await prelink(library)) return await copyOf(basename(original));
  } finally {
    await library.close();
  }
  await rm(folder, { recursive: true });
  return original;
}
