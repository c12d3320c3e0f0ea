import type { GuestOptions, Sandbox } from '@platform-backend/sandbox';
import type { ChildProcess } from 'node:child_process';
import type { StepProgram } from './step-program-files.ts';

/** Starts a process of the step program with a pipe as its channel, and with this room for its engine. */
export type StartProgram = (
  program: StepProgram,
  options: Pick<GuestOptions, 'writable' | 'output' | 'onTooMuchMemory'>,
) => ChildProcess;

/** What a process holds besides the memory that its engine is allowed. */
const OWN_BYTES = 256 * 2 ** 20;
const nodeOptions = ['--max-old-space-size=256', '--disable-warning=ExperimentalWarning'];

export const startProgramIn =
  (sandbox: Sandbox, engineBytes: number): StartProgram =>
  ({ module, readable }, options) =>
    sandbox.spawn(process.execPath, {
      ...options,
      // No channel of Node's own: what a guest writes there would be read without limit, and it takes a fifth of the start.
      args: [...nodeOptions, module],
      readable: [process.execPath, ...readable],
      pipes: 1,
      memoryBytes: engineBytes + OWN_BYTES,
    });
