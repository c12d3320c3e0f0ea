import { deadlineExceeded, unavailable } from '@platform-backend/core';
import type { Sandbox } from '@platform-backend/sandbox';
import { findOnPath } from '@platform-backend/system-programs';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';

export interface ProgramOptions {
  readonly args: readonly string[];
  /** All of the files that it sees, beside itself and the system's libraries. */
  readonly readable: readonly string[];
  /** Those that it may change. */
  readonly writable?: readonly string[];
  /** Of each file that it writes. */
  readonly fileBytes: number;
  readonly timeoutMs: number;
  /** Beside the language of what it says, which is English. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** What is done where the program is not installed. */
  readonly missing: () => Error;
}

export interface ProcessResult {
  /** 0 where it did what it was asked for. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program that is given bytes which anybody may have made. */
export type RunProgram = (program: string, options: ProgramOptions) => Promise<ProcessResult>;

const memoryBytes = 2 ** 30;
/** Of what it says; beyond, it is ended. */
const maxOutput = 4 * 2 ** 20;

/** Debian links some libraries, such as those of linear algebra, by way of the last folder. */
const libraries = [
  '/lib',
  '/lib64',
  '/usr/lib',
  '/usr/lib64',
  '/usr/local/lib',
  '/etc/ld.so.cache',
  '/etc/alternatives',
];

/**
 * Runs programs in the sandbox, with limits of time, CPU, memory, files and output, without network and the service's own
 * variables. They yield to whatever else this machine has to do. UNAVAILABLE: nobody waits any more; DEADLINE_EXCEEDED: it took
 * too long.
 */
export const programRunner =
  (open: () => Promise<Sandbox>): RunProgram =>
  async (program, { args, readable, writable = [], fileBytes, timeoutMs, environment, signal, missing }) => {
    const path = program.includes('/') ? program : findOnPath(program);
    if (path === undefined) throw missing();
    const sandbox = await open();
    if (signal?.aborted) throw unavailable(signal.reason);
    const child = sandbox.spawn(path, {
      args,
      readable: [path, ...libraries.filter((folder) => existsSync(folder)), ...readable],
      writable,
      environment: { LC_ALL: 'C.UTF-8', ...environment },
      memoryBytes,
      addressBytes: memoryBytes,
      fileBytes,
      // It has several threads.
      cpuSeconds: Math.ceil((4 * timeoutMs) / 1000),
      niceness: 10,
      output: 'pipe',
    });
    const { promise, resolve, reject } = Promise.withResolvers<ProcessResult>();
    const stop = (why: Error): void => {
      child.kill('SIGKILL');
      reject(why);
    };
    const tooMuch = (): void => stop(new Error(`${program} says too much`));
    const said = [child.stdout, child.stderr].map((output) => textOf(output, tooMuch));
    const aborted = (): void => stop(unavailable(signal?.reason));
    const timer = setTimeout(
      () => stop(deadlineExceeded(new Error(`${program} took longer than ${timeoutMs} ms`))),
      timeoutMs,
    );
    signal?.addEventListener('abort', aborted);
    child.once('error', stop).once('close', (code: number | null) => {
      const [stdout = '', stderr = ''] = said.map((text) => text());
      resolve({ status: code ?? 1, stdout, stderr });
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    }
  };

/** What has come until now. */
function textOf(output: Readable | null, tooMuch: () => void): () => string {
  let text = '';
  output?.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    if (text.length > maxOutput) tooMuch();
  });
  return () => text;
}
