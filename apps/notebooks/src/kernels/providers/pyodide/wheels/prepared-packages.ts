import { randomUUID } from 'node:crypto';
import { access, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { resolvePackages, sha256Of, type LockFile, type WheelFiles } from './resolve-packages.ts';
import { wheelSource } from './wheel-source.ts';

interface PackagesInput {
  /** Requirements, as `%pip install` takes them. */
  readonly packages: readonly string[];
  /** Folders and addresses, in this order. */
  readonly sources: readonly string[];
  /** A folder of this service alone, which replicas on one machine share. */
  readonly directory: string;
}

const TIMEOUT_MS = 180_000;
/** What could not be had is asked for again so much later. */
const AGAIN_MS = 60_000;
const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * A folder as a distribution of Pyodide has it: wheels and their lock file. It is made once for the same packages of the same
 * sources, and never changed: what was chosen stays, also while a source is away. Kernels of all organisations read it, and none
 * may write.
 *
 * @throws Error when one of them cannot be had.
 */
export async function preparePackages({ packages, sources, directory }: PackagesInput): Promise<string> {
  const ownFile = createRequire(import.meta.url).resolve('pyodide/pyodide-lock.json');
  const own = JSON.parse(await readFile(ownFile, 'utf8')) as LockFile;
  const folder = join(directory, sha256Of(JSON.stringify({ packages, sources, info: own.info })).slice(0, 32));
  if (await isThere(folder)) return folder;
  const files = join(directory, 'files');
  await mkdir(files, { recursive: true, mode: 0o700 });
  const kept: WheelFiles = {
    has: (sha256) => isThere(join(files, sha256)),
    async add(sha256, bytes) {
      const unfinished = join(files, randomUUID());
      await writeFile(unfinished, bytes, { mode: 0o400 });
      await rename(unfinished, join(files, sha256));
    },
  };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const resolved = await resolvePackages(packages, {
    own,
    sources: sources.map((where) => wheelSource(where, signal)),
    files: kept,
  });
  const unfinished = join(directory, randomUUID());
  try {
    await mkdir(unfinished, { mode: 0o700 });
    await Promise.all(resolved.map((one) => link(join(files, one.sha256), join(unfinished, one.file_name))));
    const lock: LockFile = { info: own.info, packages: Object.fromEntries(resolved.map((one) => [one.name, one])) };
    await writeFile(join(unfinished, 'pyodide-lock.json'), JSON.stringify(lock), { mode: 0o400 });
    await rename(unfinished, folder);
  } catch (error) {
    // Another replica was quicker with the same.
    if (!(await isThere(folder))) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/**
 * Asked by every start: where the packages cannot be had now, kernels go without them and a later start asks again. A folder that is
 * removed, as whoever wants newer versions does, is made anew.
 */
export function askedWhenMissing(
  prepare: () => Promise<string>,
  failed: (error: unknown) => void,
): () => Promise<string | undefined> {
  let last: { readonly answer: Promise<string | undefined>; readonly until: number } | undefined;
  return async () => {
    if (last && last.until > Date.now()) {
      const folder = await last.answer;
      if (folder === undefined || (await isThere(folder))) return folder;
    }
    const answer = prepare().catch((error: unknown) => {
      failed(error);
      last = { answer, until: Date.now() + AGAIN_MS };
      return undefined;
    });
    last = { answer, until: Infinity };
    return await answer;
  };
}
