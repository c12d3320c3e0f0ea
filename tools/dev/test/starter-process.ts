import { isAlive } from '@platform-backend/embedded';
import { waitFor } from '@platform-backend/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A starter in a process of its own, with small programs of the fixtures as its services. */
export interface StarterProcess {
  readonly pid: number;
  /** Everything it printed so far. */
  readonly output: () => string;
  readonly printed: (text: string | RegExp) => Promise<void>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Its exit code, null after a signal. */
  readonly ended: Promise<number | null>;
}

export function spawnStarter(env: Record<string, string>, fixture = 'start-small.ts'): StarterProcess {
  const program = join(import.meta.dirname, 'fixtures', fixture);
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collected(child);
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return {
    pid: child.pid ?? 0,
    output,
    ended,
    signal: (signal) => void child.kill(signal),
    printed: async (text) => {
      const isThere = (): boolean => (typeof text === 'string' ? output().includes(text) : text.test(output()));
      await waitFor(
        () => {
          if (child.exitCode !== null && !isThere()) throw new Error(`the starter ended:\n${output()}`);
          return isThere();
        },
        { what: `${String(text)} in:\n${output()}` },
      );
    },
  };
}

function collected(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return () => output;
}

/** All processes below this one. Servers of PostgreSQL and the like are found as well, at any depth. */
export function descendantsOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(Number(name));
    if (parent !== undefined) parents.set(Number(name), parent);
  }
  const below = (ancestor: number): number[] =>
    [...parents].filter(([, parent]) => parent === ancestor).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

/** Waits until none of these processes is left. */
export async function allEnded(pids: readonly number[]): Promise<void> {
  await waitFor(() => !pids.some(isAlive), { what: `the end of ${pids.join(', ')}` });
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
