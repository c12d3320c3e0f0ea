import type { GuestOptions, Sandbox } from '@platform-backend/sandbox';
import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAX_FILE_BYTES } from '../domain/limits.ts';

/** The program that does a step, and what a process of it is started with beyond what belongs to it alone. */
export interface StepProgram {
  readonly module: string;
  readonly readable: readonly string[];
}

const module = fileURLToPath(new URL('../program/main.ts', import.meta.url));
/** Begins it where it is one file. */
export const startModule = fileURLToPath(new URL('../program/start.ts', import.meta.url));
const resolve = (name: string, from: string): string => createRequire(from).resolve(name);
const duckDb = (): string => resolve('@duckdb/node-api', import.meta.url);

/** As it is written: its folder, what says that it is a module, and DuckDB with its native parts. */
export const writtenProgram = (): StepProgram => ({
  module,
  readable: [
    dirname(module),
    fileURLToPath(new URL('../domain', import.meta.url)),
    fileURLToPath(new URL('../../../package.json', import.meta.url)),
    dirname(dirname(dirname(duckDb()))),
  ],
});

/** DuckDB's own library for this kind of machine. */
export function duckDbLibrary(): string {
  const bindings = resolve('@duckdb/node-bindings', duckDb());
  const system = `${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`;
  return resolve(`@duckdb/node-bindings-${system}/duckdb.node`, bindings);
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  const { header } = process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined;
}

/** Starts a process of the step program with a pipe as its channel, and with this memory for DuckDB. */
export type StartProgram = (
  program: StepProgram,
  options: Pick<GuestOptions, 'readable' | 'writable' | 'output' | 'onTooMuchMemory'>,
) => ChildProcess;

/** What a process holds besides the memory that DuckDB is allowed. */
const OWN_BYTES = 256 * 2 ** 20;
const nodeOptions = ['--max-old-space-size=256', '--disable-warning=ExperimentalWarning'];

export const startProgramIn =
  (sandbox: Sandbox, duckDbBytes: number): StartProgram =>
  ({ module, readable }, options) =>
    sandbox.spawn(process.execPath, {
      ...options,
      // No channel of Node's own: what a guest writes there would be read without limit, and it takes a fifth of the start.
      args: [...nodeOptions, module],
      readable: [process.execPath, ...readable, ...(options.readable ?? [])],
      pipes: 1,
      memoryBytes: duckDbBytes + OWN_BYTES,
      fileBytes: MAX_FILE_BYTES,
    });
