import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './settings.ts';
import type { FileTotals } from './test-totals.ts';

export interface JestRun {
  /** Beside those that every run has. */
  readonly args: readonly string[];
  /** Which folders have their tests run in the long form, by commas; `all`. */
  readonly long: string;
  /** For all files that tests write, and for what the run has to tell; of this run alone. */
  readonly directory: string;
  /** Ends the run. */
  readonly signal: AbortSignal;
}

/** Runs Jest in a process of its own, and tells how each file ended; nothing of files where it ended before it could. */
export async function runJest({ args, long, directory, signal }: JestRun) {
  const [totals, leftOut] = [join(directory, 'totals.json'), join(directory, 'left-out.jsonl')];
  rmSync(totals, { force: true });
  const flags = ['--disable-warning=ExperimentalWarning'];
  const jest = [join(repository, 'node_modules/jest/bin/jest.js'), '--config', join(repository, 'jest.config.mjs')];
  const child = spawn(process.execPath, [...flags, ...jest, ...args], {
    cwd: repository,
    stdio: 'inherit',
    env: { ...process.env, TMPDIR: directory, TEST_LONG: long, TEST_LEFT_OUT: leftOut, TEST_TOTALS: totals },
    // A group of its own, for its workers do not end by themselves. In a terminal it stays in ours, to be asked by --watch.
    detached: !process.stdin.isTTY,
  });
  const stop = (): void => {
    if (process.stdin.isTTY || child.pid === undefined) child.kill('SIGTERM');
    else process.kill(-child.pid, 'SIGTERM');
  };
  signal.addEventListener('abort', stop);
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (ended) => resolve(ended ?? 1));
  });
  signal.removeEventListener('abort', stop);
  return { code, files: existsSync(totals) ? (JSON.parse(readFileSync(totals, 'utf8')) as FileTotals[]) : [] };
}
