import type { Logger } from '@platform/core';
import type { Sandbox } from '@platform/sandbox';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execArgv, OWN_BYTES } from './step-processes.ts';
import { engineLibrary, writtenProgram, type StepProgram } from './step-program-files.ts';

export interface BundledProgramOptions {
  readonly sandbox: Sandbox;
  /** Where the one file and what is compiled of it are kept, in a folder of this process's own. */
  readonly directory: string;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface BundledProgram {
  readonly program: Promise<StepProgram>;
  readonly remove: () => Promise<void>;
}

const START_MS = 30_000;

/**
 * The program with all its packages as one file, compiled once, so that the processes that run steps need not look for
 * two hundred and compile them. A process without a job compiles it; those with one may read what it has left, and change
 * nothing of it. Where that does not work the program is as it is written.
 */
export function bundledProgram({ directory, ...options }: BundledProgramOptions): BundledProgram {
  const own = join(directory, `program-${randomUUID()}`);
  const program = bundle({ ...options, directory: own });
  return {
    program,
    async remove() {
      await program;
      await rm(own, { recursive: true, force: true });
    },
  };
}

async function bundle({ sandbox, directory, logger }: BundledProgramOptions): Promise<StepProgram> {
  const program = writtenProgram();
  const [file, compiled] = [join(directory, 'step-program.mjs'), join(directory, 'compiled')];
  try {
    await mkdir(compiled, { recursive: true, mode: 0o700 });
    const library = await writeBundle(program.module, file);
    const bundled = {
      module: file,
      readable: [file, dirname(library), compiled],
      environment: { NODE_COMPILE_CACHE: compiled },
    };
    const { module, ...start } = bundled;
    const child = sandbox.fork(module, { ...start, execArgv, writable: [compiled], memoryBytes: OWN_BYTES });
    const patience = setTimeout(() => child.kill('SIGKILL'), START_MS);
    const exited = once(child, 'exit');
    // It writes what it has compiled when it ends, which it does as soon as nobody can give it a job.
    child.once('message', () => child.disconnect());
    const [code, signal] = (await exited) as [number | null, string | null];
    clearTimeout(patience);
    if (code !== 0) throw new Error(`it ended with ${signal ?? String(code)}`);
    return bundled;
  } catch (error) {
    logger.warn({ err: error }, 'the step program could not be bundled beforehand, and starts more slowly');
    await rm(directory, { recursive: true, force: true });
    return program;
  }
}

/** Writes a module with everything that it imports; the engine's own library stays where it is, which is answered. */
async function writeBundle(module: string, bundle: string): Promise<string> {
  // Loaded only by those that start processes again and again.
  const { build, stop } = await import('esbuild');
  const library = engineLibrary();
  try {
    await build({
      entryPoints: [module],
      outfile: bundle,
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      target: `node${process.versions.node}`,
      // Packages that are no modules ask for those of Node itself.
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      // Which library it is, the package finds out at its start; it is known already.
      alias: { '@duckdb/node-bindings': library },
      external: [library],
      logLevel: 'silent',
    });
  } finally {
    await stop();
  }
  return library;
}
