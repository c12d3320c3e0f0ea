import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { GuestOptions, Sandbox } from '../src/index.ts';

export interface Guest {
  readonly process: ChildProcess;
  /** Runs the body of an asynchronous function in the guest: what it answers, or `refused: CODE`. */
  readonly run: (code: string) => Promise<unknown>;
  readonly end: () => Promise<void>;
}

const folder = join(import.meta.dirname, 'guests');

export async function startGuest(sandbox: Sandbox, options: Partial<GuestOptions> = {}): Promise<Guest> {
  const child = sandbox.fork(join(folder, 'evaluate.ts'), {
    memoryBytes: 512 * 2 ** 20,
    ...options,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    readable: [folder, ...(options.readable ?? [])],
  });
  const ended = once(child, 'exit');
  await once(child, 'message');
  return {
    process: child,
    async run(code) {
      const answer = once(child, 'message') as Promise<[{ value?: unknown; error?: string }]>;
      child.send(code);
      const [{ value, error }] = await answer;
      return error === undefined ? value : `refused: ${error}`;
    },
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
