import { fork, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { withLimits } from './limits.ts';
import { watchMemory } from './memory.ts';
import { requirePipes } from './require-pipes.ts';
import type { GuestOptions, Sandbox } from './sandbox.ts';

/** No sandbox: processes with an empty environment, which end with this one where Linux sees to it. */
export function unprotected(reason: string): Sandbox {
  return {
    kind: 'none',
    hasOwnPaths: false,
    reason,
    fork(module, options) {
      const [execPath, ...execArgv] = started([process.execPath, ...(options.execArgv ?? [])], options);
      const child = fork(module, [...(options.args ?? [])], {
        ...surroundings(options),
        stdio: ['ignore', options.output ?? 'ignore', options.output ?? 'ignore', 'ipc', ...pipes(options)],
        serialization: options.serialization ?? 'json',
        execPath,
        execArgv,
      });
      requirePipes(child);
      watchMemory(child, options, { allThreads: true });
      return child;
    },
    spawn(program, options) {
      const [command, ...args] = started([program, ...(options.args ?? [])], options);
      const child = spawn(command, args, {
        ...surroundings(options),
        stdio: ['ignore', options.output ?? 'ignore', options.output ?? 'ignore', 'ignore', ...pipes(options)],
      });
      requirePipes(child);
      watchMemory(child, options, { allThreads: true });
      return child;
    },
  };
}

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

const started = (command: readonly [string, ...string[]], options: GuestOptions) =>
  withLimits(setpriv === undefined ? command : [setpriv, '--pdeathsig', 'KILL', '--', ...command], options);

const surroundings = ({ environment = {}, workingDirectory }: GuestOptions) => ({
  env: { ...environment },
  ...(workingDirectory !== undefined && { cwd: workingDirectory }),
});

const pipes = ({ pipes: count = 0 }: GuestOptions) => Array<'pipe'>(count).fill('pipe');
