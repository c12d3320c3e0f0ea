import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OWNER = randomUUID().slice(0, 8);
const NAMED = /^kernel-(?:work-)?([0-9a-f]{8})-/;
const SIGN_OF_LIFE = /^kernel-([0-9a-f]{8})\.alive$/;
const signOfLife = (directory: string, owner: string): string => join(directory, `kernel-${owner}.alive`);

let alive: Promise<unknown> | undefined;

/** A folder of a kernel of this process, which ends it: `work` is what cells write where there is no sandbox. */
export async function makeKernelFolder(kind: '' | 'work-'): Promise<string> {
  await (alive ??= keepSignOfLife(signOfLife(tmpdir(), OWNER)).catch((error: unknown) => {
    alive = undefined;
    throw error;
  }));
  return await mkdtemp(join(tmpdir(), `kernel-${kind}${OWNER}-`));
}

/**
 * A socket that is listened to for as long as this process is there, whatever ends it. Replicas in containers may share the directory:
 * numbers of processes mean nothing from one to another, and clocks say nothing of one that stands still.
 */
async function keepSignOfLife(path: string): Promise<void> {
  const server = createServer((asking) => asking.destroy()).listen(path);
  await once(server, 'listening');
  server.unref();
  process.once('exit', () => rmSync(path, { force: true }));
}

/** Removes what kernels of processes have left that were killed: sockets, and keys that messages are signed with. */
export async function removeLeftFolders(directory = tmpdir()): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  const ownerOf = (name: string): string | undefined => (NAMED.exec(name) ?? SIGN_OF_LIFE.exec(name))?.[1];
  const owners = [...new Set(names.flatMap((name) => ownerOf(name) ?? []))];
  const there = await Promise.all(owners.map((owner) => isThere(signOfLife(directory, owner))));
  const gone = new Set(owners.filter((owner, index) => owner !== OWNER && there[index] !== true));
  await Promise.all(
    names.map(async (name) => {
      const owner = ownerOf(name);
      if (owner === undefined || !gone.has(owner)) return;
      const path = join(directory, name);
      const found = await lstat(path).catch(() => undefined);
      if (found?.uid === process.getuid?.()) await rm(path, { recursive: true, force: true });
    }),
  );
}

/** Only where nobody listens any more, or the sign is not there: it is the first thing that a process makes. */
const isThere = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asking = createConnection(path, () => answered(true));
    const answered = (is: boolean): void => {
      asking.destroy();
      resolve(is);
    };
    asking.once('error', ({ code }: NodeJS.ErrnoException) => answered(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
  });
