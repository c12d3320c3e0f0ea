import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const missing =
  'There is no nats-server on this machine: install it (on Debian or Ubuntu: apt-get install nats-server), or set NATS_URL.';

/**
 * The nats-server to run: the one on PATH; else the Debian package, downloaded and unpacked into
 * `cacheDirectory` without root and without installing anything. Later calls find it there.
 */
export async function natsBinary(
  cacheDirectory: string,
  onProgress: (text: string) => void = () => undefined,
): Promise<string> {
  const onPath = findOnPath('nats-server');
  if (onPath !== undefined) return onPath;
  const cached = join(cacheDirectory, 'nats-server');
  if (existsSync(cached)) return cached;
  if (findOnPath('apt-get') === undefined || findOnPath('dpkg') === undefined) throw new Error(missing);
  onProgress('downloading the Debian package nats-server');
  mkdirSync(cacheDirectory, { recursive: true });
  const scratch = mkdtempSync(join(cacheDirectory, 'unpack-'));
  try {
    const archive = (await download(scratch)) ?? (await downloadWithFreshLists(scratch, onProgress));
    if (archive === undefined) throw new Error(missing);
    const unpacked = await succeeds('dpkg', ['-x', archive, scratch], scratch);
    const binary = ['usr/sbin/nats-server', 'usr/bin/nats-server'].map((path) => join(scratch, path)).find(existsSync);
    if (!unpacked || binary === undefined) throw new Error(missing);
    renameSync(binary, cached);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return cached;
}

async function download(scratch: string): Promise<string | undefined> {
  await succeeds('apt-get', ['download', 'nats-server', '-o', 'APT::Sandbox::User=root'], scratch);
  const archive = readdirSync(scratch).find((name) => name.endsWith('.deb'));
  return archive === undefined ? undefined : join(scratch, archive);
}

/** A fresh machine or image often has no package lists; only root may fetch them. */
async function downloadWithFreshLists(
  scratch: string,
  onProgress: (text: string) => void,
): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  onProgress('updating the Debian package lists first');
  await succeeds('apt-get', ['update', '-q'], scratch);
  return await download(scratch);
}

async function succeeds(command: string, args: string[], cwd: string): Promise<boolean> {
  return await run(command, args, { cwd }).then(
    () => true,
    () => false,
  );
}

function findOnPath(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((directory) => join(directory, program))
    .find((path) => existsSync(path));
}
