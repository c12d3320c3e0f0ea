import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

export interface WorkDirectory {
  /** Of this process alone: the data of organisations that is being worked with. */
  readonly own: string;
  /** For what is the same for all processes, and nobody's. */
  readonly shared: string;
  readonly remove: () => Promise<void>;
}

export interface WorkDirectoryOptions {
  /** As a setting names it. */
  readonly directory?: string | undefined;
  /** The folder of `npm start`: each has work of its own. */
  readonly home?: string | undefined;
}

const TOUCHED_EVERY_MS = 5 * 60_000;
/** A process of another machine that did not touch its folder for so long is gone. */
const SILENT_MS = 24 * 60 * 60_000;

/** The folder of this process, after what processes have left that were killed was removed. */
export async function openWorkDirectory({ directory, home }: WorkDirectoryOptions): Promise<WorkDirectory> {
  const shared = directory ?? join(tmpdir(), `platform-pipelines-${String(userInfo().uid)}`);
  const ofHome = home === undefined ? 'work' : `work-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`;
  const parent = join(shared, ofHome);
  const own = join(
    parent,
    folderName({ host: hostname(), pid: process.pid, beginning: beginningOf(process.pid) ?? '0' }),
  );
  await mkdir(own, { recursive: true, mode: 0o700 });
  await removeOrphans(parent, own);
  const timer = setInterval(() => void touch(own), TOUCHED_EVERY_MS).unref();
  return {
    ...{ own, shared },
    async remove() {
      clearInterval(timer);
      await rm(own, { recursive: true, force: true });
    },
  };
}

interface Owner {
  readonly host: string;
  readonly pid: number;
  /** When it was started, in ticks of the machine: a number is given to one process after the other. */
  readonly beginning: string;
}

const folderName = ({ host, pid, beginning }: Owner): string => `${String(pid)}-${beginning}-${host}`;

function ownerOf(name: string): Owner | undefined {
  const [, pid, beginning, host] = /^(\d+)-(\d+)-(.+)$/.exec(name) ?? [];
  return pid === undefined || beginning === undefined || host === undefined
    ? undefined
    : { host, pid: Number(pid), beginning };
}

async function removeOrphans(parent: string, own: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [path, owner] = [join(parent, name), ownerOf(name)];
    if (path !== own && owner && (await isGone(owner, path))) await rm(path, { recursive: true, force: true });
  }
}

async function isGone({ host, pid, beginning }: Owner, path: string): Promise<boolean> {
  // Only those of this machine, or this container, can be looked at.
  if (host === hostname()) return !isRunning(pid) || (beginningOf(pid) ?? beginning) !== beginning;
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
  return Date.now() - mtimeMs > SILENT_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is somebody else's, and runs.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Undefined: this machine does not say so, or there is no such process. */
function beginningOf(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The name of its program stands in brackets and may have anything in it.
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[STARTTIME];
  } catch {
    return undefined;
  }
}

/** Field 22 of `/proc/PID/stat`, the third being the first after the name. */
const STARTTIME = 22 - 3;

const touch = (path: string): Promise<void> => utimes(path, new Date(), new Date()).catch(() => undefined);
