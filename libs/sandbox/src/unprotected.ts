import { fork, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { watchMemory } from './memory.ts';
import type { GuestOptions, Sandbox } from './sandbox.ts';

/** No sandbox: processes with an empty environment, which end with this one where Linux sees to it. */
export function unprotected(reason: string): Sandbox {
  return {
    kind: 'none',
    reason,
    fork(module, options) {
      const node = [...(options.execArgv ?? [])];
      const child = fork(module, [...(options.args ?? [])], {
        ...surroundings(options),
        stdio: ['ignore', options.output ?? 'ignore', options.output ?? 'ignore', 'ipc', ...pipes(options)],
        serialization: options.serialization ?? 'json',
        ...(setpriv === undefined
          ? { execArgv: node }
          : { execPath: setpriv, execArgv: [...deathSignal, process.execPath, ...node] }),
      });
      watchMemory(child, options, { allThreads: true });
      return child;
    },
    spawn(program, options) {
      const args = [...(options.args ?? [])];
      const child = spawn(setpriv ?? program, setpriv === undefined ? args : [...deathSignal, program, ...args], {
        ...surroundings(options),
        stdio: ['ignore', options.output ?? 'ignore', options.output ?? 'ignore', 'ignore', ...pipes(options)],
      });
      watchMemory(child, options, { allThreads: true });
      return child;
    },
  };
}

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
const deathSignal = ['--pdeathsig', 'KILL', '--'];

const surroundings = ({ environment = {}, workingDirectory }: GuestOptions) => ({
  env: { ...environment },
  ...(workingDirectory !== undefined && { cwd: workingDirectory }),
});

const pipes = ({ pipes: count = 0 }: GuestOptions) => Array<'pipe'>(count).fill('pipe');
