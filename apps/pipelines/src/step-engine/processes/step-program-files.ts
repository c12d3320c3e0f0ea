import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program that does a step, and what a process of it is started with beyond what belongs to it alone. */
export interface StepProgram {
  readonly module: string;
  readonly readable: readonly string[];
}

const module = fileURLToPath(new URL('../program/main.ts', import.meta.url));
/** Begins it where it is one file. */
export const startModule = fileURLToPath(new URL('../program/start.ts', import.meta.url));
const resolve = (name: string, from: string): string => createRequire(from).resolve(name);
const engine = (): string => resolve('@duckdb/node-api', import.meta.url);

/** As it is written: its folder, what says that it is a module, and the engine with its native parts. */
export const writtenProgram = (): StepProgram => ({
  module,
  readable: [
    dirname(module),
    fileURLToPath(new URL('../domain', import.meta.url)),
    fileURLToPath(new URL('../../../package.json', import.meta.url)),
    dirname(dirname(dirname(engine()))),
  ],
});

/** The engine's own library for this kind of machine. */
export function engineLibrary(): string {
  const bindings = resolve('@duckdb/node-bindings', engine());
  const system = `${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`;
  return resolve(`@duckdb/node-bindings-${system}/duckdb.node`, bindings);
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  const { header } = process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined;
}
