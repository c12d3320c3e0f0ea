import { isAlive, startTimeOf } from '@platform-backend/embedded';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/**
 * Belongs to this process alone and is shared by all test files that run in it. Folders of processes
 * that are gone are swept away, in case something kept a server's own clean-up from running.
 */
export function runDirectory(): string {
  const directory = join(root(), nameOf(process.pid));
  if (!existsSync(directory)) sweep();
  return made(directory);
}

function root(): string {
  return made(join(tmpdir(), `platform-testing-${String(userInfo().uid)}`));
}

function made(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}

const runPattern = /^run-(\d+)-/;

function nameOf(pid: number): string {
  return `run-${String(pid)}-${startTimeOf(pid) ?? '0'}`;
}

function sweep(): void {
  for (const name of readdirSync(root())) {
    const pid = Number(runPattern.exec(name)?.[1] ?? 0);
    if (pid === 0 || (isAlive(pid) && name === nameOf(pid))) continue;
    rmSync(join(root(), name), { recursive: true, force: true });
  }
}
