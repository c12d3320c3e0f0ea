import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Model } from './catalogue.ts';
import { checksumOf } from './checksum.ts';
import { fetchFile, type FetchOptions } from './fetch-file.ts';

/** What each file had as its checksum when it was installed. */
const RECORD = 'checksums.json';

export type InstallEvent =
  | { readonly kind: 'progress'; readonly path: string; readonly bytes: number; readonly size: number | undefined }
  | { readonly kind: 'file'; readonly path: string; readonly checksum: string; readonly pinned: boolean };

export interface InstallOptions extends Pick<FetchOptions, 'attempts' | 'stallMs' | 'pauseMs'> {
  /** Where the model hub, or a mirror of it, is. */
  readonly hub: string;
  readonly onEvent?: (event: InstallEvent) => void;
}

/** The names of the models in a folder. */
export async function installedModels(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.endsWith('.part')).map(({ name }) => name);
  const found = await Promise.all(names.map(async (name) => (await exists(join(folder, name, 'config.json'))) && name));
  return found.filter((name) => name !== false).toSorted();
}

/** Fetches a model. It stands in the folder as a whole or not at all; what a break has left is gone on with. */
export async function fetchModel(
  folder: string,
  { name, repository, revision, files }: Model,
  { hub, onEvent, ...options }: InstallOptions,
): Promise<void> {
  const part = join(folder, `${name}.part`);
  const checksums: Record<string, string> = {};
  for (const { path, size, sha256 } of files) {
    const target = join(part, path);
    // A file that is there came whole; of one that is not pinned it is not known that it is still the right one.
    if (sha256 !== undefined && (await exists(target)) && (await checksumOf(target)) === sha256)
      checksums[path] = sha256;
    checksums[path] ??= await fetchFile(
      { url: `${hub}/${repository}/resolve/${revision}/${path}`, path: target, size, sha256 },
      { ...options, onProgress: (bytes, total) => onEvent?.({ kind: 'progress', path, bytes, size: total }) },
    );
    onEvent?.({ kind: 'file', path, checksum: checksums[path], pinned: sha256 !== undefined });
  }
  await settle(folder, name, checksums);
}

/** Takes a model out of another folder, as on a machine without a way to the hub. @returns paths that differ from the hub's. */
export async function copyModel(folder: string, { name, files }: Model, from: string): Promise<string[]> {
  const source = join(from, name);
  if (!(await exists(join(source, 'config.json')))) throw new Error(`There is no ${name} in ${from}.`);
  const part = join(folder, `${name}.part`);
  await rm(part, { recursive: true, force: true });
  const checksums: Record<string, string> = {};
  for (const path of await filesBelow(source)) {
    await mkdir(dirname(join(part, path)), { recursive: true });
    await cp(join(source, path), join(part, path));
    checksums[path] = await checksumOf(join(part, path));
  }
  await settle(folder, name, checksums);
  return files.filter(({ path, sha256 }) => checksums[path] !== sha256).map(({ path }) => path);
}

async function settle(folder: string, name: string, checksums: Readonly<Record<string, string>>): Promise<void> {
  const part = join(folder, `${name}.part`);
  await writeFile(join(part, RECORD), `${JSON.stringify(checksums, null, 2)}\n`);
  await rm(join(folder, name), { recursive: true, force: true });
  await rename(part, join(folder, name));
}

/** What is wrong with an installed model: one sentence for each file; none where all is well. */
export async function checkModel(folder: string, name: string): Promise<string[]> {
  const directory = join(folder, name);
  const text = await readFile(join(directory, RECORD), 'utf8').catch(() => undefined);
  if (text === undefined) return [`${name} has no ${RECORD}: nobody knows what it should be`];
  const sentences = await Promise.all(
    Object.entries(JSON.parse(text) as Record<string, string>).map(async ([path, expected]) => {
      const checksum = await checksumOf(join(directory, path)).catch(() => undefined);
      if (checksum === expected) return undefined;
      return `${name}/${path} ${checksum === undefined ? 'is missing' : 'has been changed'}`;
    }),
  );
  return sentences.filter((sentence) => sentence !== undefined);
}

export async function removeModel(folder: string, name: string): Promise<void> {
  const directories = [join(folder, name), join(folder, `${name}.part`)];
  if (!(await Promise.all(directories.map(exists))).includes(true)) throw new Error(`${name} is not installed.`);
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== RECORD)
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
