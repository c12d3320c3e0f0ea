import type { Logger } from '@platform/core';
import type { Sandbox } from '@platform/sandbox';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';

/** What a process of the step program is started with beyond what belongs to it alone. */
export interface ProgramStart {
  readonly readable: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface CompiledProgramOptions {
  readonly sandbox: Sandbox;
  readonly program: string;
  readonly execArgv: readonly string[];
  /** All that the program is made of. */
  readonly readable: readonly string[];
  /** Where what is compiled is kept: this process's own. */
  readonly directory: string;
  readonly memoryBytes: number;
  readonly logger: Pick<Logger, 'warn'>;
}

const START_MS = 30_000;

/**
 * Has the program compiled once, so that the processes that run steps only load it, in half the time. A process without
 * a job does so; those with one may read what it has left, and change nothing of it.
 */
export async function compiledProgram(options: CompiledProgramOptions): Promise<ProgramStart> {
  const { sandbox, program, execArgv, readable, directory, memoryBytes, logger } = options;
  const environment = { NODE_COMPILE_CACHE: directory };
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const child = sandbox.fork(program, { execArgv, readable, writable: [directory], environment, memoryBytes });
    const patience = setTimeout(() => child.kill('SIGKILL'), START_MS);
    const exited = once(child, 'exit');
    // It writes what it has compiled when it ends, which it does as soon as nobody can give it a job.
    child.once('message', () => child.disconnect());
    const [code, signal] = (await exited) as [number | null, string | null];
    clearTimeout(patience);
    if (code !== 0) throw new Error(`it ended with ${signal ?? String(code)}`);
    return { readable: [...readable, directory], environment };
  } catch (error) {
    logger.warn({ err: error }, 'the step program could not be compiled beforehand, and starts more slowly');
    await rm(directory, { recursive: true, force: true });
    return { readable, environment: {} };
  }
}
