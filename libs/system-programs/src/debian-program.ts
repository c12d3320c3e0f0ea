import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath } from './find-on-path.ts';

const run = promisify(execFile);

export interface DebianProgram {
  readonly program: string;
  /** The package that has it, below usr/bin or usr/sbin. Nothing that it depends on is fetched. */
  readonly debianPackage: string;
  /** Where the unpacked program is kept, and found by later calls; without it nothing is fetched. */
  readonly cacheDirectory?: string | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
}

/**
 * The program on PATH; else that of the Debian package, downloaded and unpacked without root and without installing
 * anything. Undefined where it is not to be had.
 */
export async function debianProgram({
  program,
  debianPackage,
  cacheDirectory,
  onProgress = () => undefined,
}: DebianProgram): Promise<string | undefined> {
  const onPath = findOnPath(program);
  if (onPath !== undefined || cacheDirectory === undefined) return onPath;
  const cached = join(cacheDirectory, program);
  if (existsSync(cached)) return cached;
  if (findOnPath('apt-get') === undefined || findOnPath('dpkg') === undefined) return undefined;
  onProgress(`downloading the Debian package ${debianPackage}`);
  mkdirSync(cacheDirectory, { recursive: true });
  const scratch = mkdtempSync(join(cacheDirectory, 'unpack-'));
  try {
    const archive =
      (await download(debianPackage, scratch)) ?? (await downloadWithFreshLists(debianPackage, scratch, onProgress));
    if (archive === undefined || !(await succeeds('dpkg', ['-x', archive, scratch], scratch))) return undefined;
    const unpacked = ['usr/bin', 'usr/sbin'].map((folder) => join(scratch, folder, program)).find(existsSync);
    if (unpacked === undefined) return undefined;
    renameSync(unpacked, cached);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return cached;
}

async function download(debianPackage: string, scratch: string, ...options: string[]): Promise<string | undefined> {
  await succeeds('apt-get', ['download', debianPackage, ...AS_WHOEVER_ASKS, ...options], scratch);
  const archive = readdirSync(scratch).find((name) => name.endsWith('.deb'));
  return archive === undefined ? undefined : join(scratch, archive);
}

/**
 * A fresh machine or image often has no package lists. They are fetched for this package alone: that needs no root, and no lock
 * that another process may hold.
 */
async function downloadWithFreshLists(
  debianPackage: string,
  scratch: string,
  onProgress: (text: string) => void,
): Promise<string | undefined> {
  onProgress('fetching the Debian package lists first');
  const lists = join(scratch, 'lists');
  mkdirSync(join(lists, 'partial'), { recursive: true });
  const own = ['-o', `Dir::State::Lists=${lists}`, '-o', `Dir::Cache=${join(scratch, 'cache')}`];
  await succeeds('apt-get', ['update', '-q', ...AS_WHOEVER_ASKS, ...own], scratch);
  return await download(debianPackage, scratch, ...own);
}

/** `apt-get` would fetch as a user who may not write into our folder. */
const AS_WHOEVER_ASKS = ['-o', 'APT::Sandbox::User=root'];

async function succeeds(command: string, args: string[], cwd: string): Promise<boolean> {
  return await run(command, args, { cwd }).then(
    () => true,
    () => false,
  );
}
