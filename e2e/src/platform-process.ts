import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlatformFacts } from './platform.ts';

/** The process that runs an app of a platform, found among the children of its starter. */
export const processOf = ({ home }: Pick<PlatformFacts, 'home'>, app: string): number => {
  const { pid: starter } = JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')) as { pid: number };
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => parentOf(pid) === starter && commandLineOf(pid).includes(`apps/${app}/src/main.ts`));
  if (found === undefined) throw new Error(`no process runs ${app}`);
  return found;
};

/** The processes of PostgreSQL of a platform: its server, and one for each connection. */
export const postgresOf = ({ home }: Pick<PlatformFacts, 'home'>): number[] => {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const servers = all.filter((pid) => commandLineOf(pid).includes(`-D ${home}/postgres`));
  if (servers.length === 0) throw new Error('no PostgreSQL runs');
  return all.filter((pid) => servers.includes(pid) || servers.includes(parentOf(pid)));
};

/** Stops processes where they are, as they would hang; answers what has them go on. */
export const freeze = (pids: readonly number[]): (() => void) => {
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of pids)
      try {
        process.kill(pid, name);
      } catch (error) {
        // One of a connection that has just been closed.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
  };
  signal('SIGSTOP');
  return () => signal('SIGCONT');
};

/** What a process was told when it started. */
export const environmentOf = (pid: number): NodeJS.ProcessEnv =>
  Object.fromEntries(
    readProc(pid, 'environ')
      .split('\0')
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

/** Text of a /proc file; empty when the process has just ended. */
const readProc = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

const parentOf = (pid: number): number => Number(/^PPid:\s*(\d+)$/m.exec(readProc(pid, 'status'))?.[1] ?? 0);

const commandLineOf = (pid: number): string => readProc(pid, 'cmdline').replaceAll('\0', ' ');
