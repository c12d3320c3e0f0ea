import { randomUUID } from 'node:crypto';
import { access, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { resolvePackages, sha256Of, type LockedPackage, type LockFile, type WheelFiles } from './resolve-packages.ts';
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
/** So long a start waits for packages that are on their way. */
const START_TIMEOUT_MS = 30_000;
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
  const own = await ownLock();
  const folder = join(directory, sha256Of(JSON.stringify({ packages, sources, info: own.info })).slice(0, 32));
  if (await isThere(folder)) return folder;
  const files = await keptWheels(directory);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const resolved = await resolvePackages(packages, {
    ...{ own, files },
    sources: sources.map((where) => wheelSource(where, signal)),
  });
  return await makeFolder(folder, directory, own, resolved);
}

/**
 * Those of the packages whose wheels were fetched once and need no source, while one is away: as a folder like that of all.
 * Undefined: none of them.
 */
export async function keptPackages({
  packages,
  directory,
}: Omit<PackagesInput, 'sources'>): Promise<string | undefined> {
  const own = await ownLock();
  const files = await keptWheels(directory);
  const kept = await Promise.all(
    packages.map((one) => resolvePackages([one], { own, files, sources: [] }).catch((): LockedPackage[] => [])),
  );
  const resolved = [...new Map(kept.flat().map((one) => [one.name, one])).values()];
  if (resolved.length === 0) return undefined;
  const folder = join(directory, sha256Of(JSON.stringify(resolved.map((one) => one.sha256).sort())).slice(0, 32));
  return (await isThere(folder)) ? folder : await makeFolder(folder, directory, own, resolved);
}

async function ownLock(): Promise<LockFile> {
  const file = createRequire(import.meta.url).resolve('pyodide/pyodide-lock.json');
  return JSON.parse(await readFile(file, 'utf8')) as LockFile;
}

const wheelsIn = (directory: string): string => join(directory, 'files');

async function keptWheels(directory: string): Promise<WheelFiles> {
  const files = wheelsIn(directory);
  await mkdir(files, { recursive: true, mode: 0o700 });
  return {
    has: (sha256) => isThere(join(files, sha256)),
    async add(sha256, bytes) {
      const unfinished = join(files, randomUUID());
      await writeFile(unfinished, bytes, { mode: 0o400 });
      await rename(unfinished, join(files, sha256));
    },
  };
}

async function makeFolder(folder: string, directory: string, own: LockFile, resolved: readonly LockedPackage[]) {
  const unfinished = join(directory, randomUUID());
  try {
    await mkdir(unfinished, { mode: 0o700 });
    await Promise.all(
      resolved.map((one) => link(join(wheelsIn(directory), one.sha256), join(unfinished, one.file_name))),
    );
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
 * Asked by every start, which waits for a while: where the packages cannot be had by then, kernels go with what is kept of them
 * and a later start asks again. A folder that is removed, as whoever wants newer versions does, is made anew.
 */
export function askedWhenMissing(
  prepare: () => Promise<string>,
  failed: (error: unknown) => void,
  kept: () => Promise<string | undefined> = () => Promise.resolve(undefined),
): () => Promise<string | undefined> {
  let last: { readonly answer: Promise<string | undefined>; readonly until: number } | undefined;
  /** One at a time, however long it takes. */
  let running: Promise<string> | undefined;
  const without = async (error: unknown): Promise<string | undefined> => {
    failed(error);
    return await kept().catch(() => undefined);
  };
  return async () => {
    if (last && last.until > Date.now()) {
      const folder = await last.answer;
      if (folder === undefined || (await isThere(folder))) return folder;
    }
    const preparing = (running ??= prepare().finally(() => (running = undefined)));
    // What comes too late for this start is there for the next ones.
    const late = new AbortController();
    const tooLong = delay(START_TIMEOUT_MS, undefined, { signal: late.signal, ref: false }).then(() => {
      throw new Error(`They are still being fetched after ${START_TIMEOUT_MS / 1_000} s`);
    });
    const answer = Promise.race([preparing, tooLong])
      .catch((error: unknown) => {
        last = { answer, until: Date.now() + AGAIN_MS };
        return without(error);
      })
      .finally(() => late.abort());
    preparing.then(
      () => (last = { answer: preparing, until: Infinity }),
      () => undefined,
    );
    last = { answer, until: Infinity };
    return await answer;
  };
}
