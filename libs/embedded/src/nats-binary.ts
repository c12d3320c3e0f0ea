import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const missing =
  'There is no nats-server on this machine: install it (on Debian or Ubuntu: apt-get install nats-server), or set NATS_URL.';

/**
 * The nats-server to run: the one on PATH; else the Debian package, downloaded and unpacked into
 * `cacheDirectory` without root and without installing anything. Later calls find it there.
 */
export function natsBinary(cacheDirectory: string, onProgress: (text: string) => void = () => undefined): string {
  const onPath = findOnPath('nats-server');
  if (onPath !== undefined) return onPath;
  const cached = join(cacheDirectory, 'nats-server');
  if (existsSync(cached)) return cached;
  if (findOnPath('apt-get') === undefined || findOnPath('dpkg') === undefined) throw new Error(missing);
  onProgress('downloading the Debian package nats-server');
  mkdirSync(cacheDirectory, { recursive: true });
  const scratch = mkdtempSync(join(cacheDirectory, 'unpack-'));
  try {
    const archive = download(scratch) ?? downloadWithFreshLists(scratch, onProgress);
    if (archive === undefined) throw new Error(missing);
    const unpacked = spawnSync('dpkg', ['-x', archive, scratch], { cwd: scratch });
    const binary = ['usr/sbin/nats-server', 'usr/bin/nats-server'].map((path) => join(scratch, path)).find(existsSync);
    if (unpacked.status !== 0 || binary === undefined) throw new Error(missing);
    renameSync(binary, cached);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return cached;
}

function download(scratch: string): string | undefined {
  spawnSync('apt-get', ['download', 'nats-server', '-o', 'APT::Sandbox::User=root'], { cwd: scratch });
  const archive = readdirSync(scratch).find((name) => name.endsWith('.deb'));
  return archive === undefined ? undefined : join(scratch, archive);
}

/** A fresh machine or image often has no package lists; only root may fetch them. */
function downloadWithFreshLists(scratch: string, onProgress: (text: string) => void): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  onProgress('updating the Debian package lists first');
  spawnSync('apt-get', ['update', '-q']);
  return download(scratch);
}

function findOnPath(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((directory) => join(directory, program))
    .find((path) => existsSync(path));
}
