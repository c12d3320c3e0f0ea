import type { Logger } from '@platform-backend/core';
import type { Sandbox } from '@platform-backend/sandbox';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { programFiles } from '../domain/program-files.ts';
import type { StepJob } from '../domain/step-job.ts';
import { prelinkedDuckDb } from './prelinked-duckdb.ts';
import { stepChannel } from './step-channel.ts';
import { startModule, startProgramIn, writtenProgram, type StepProgram } from './step-program.ts';

export interface BundledProgramOptions {
  readonly sandbox: Sandbox;
  /** Where the one file and what is compiled of it are kept, in a folder of this process's own. */
  readonly directory: string;
  /** Where the engine is kept, which is the same for all processes. */
  readonly engines: string;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface BundledProgram {
  readonly program: Promise<StepProgram>;
  readonly remove: () => Promise<void>;
}

const START_MS = 30_000;

/**
 * The program with all its packages as one file, compiled once, and its engine prelinked, so that the processes that run
 * steps need not look for two hundred files, compile them and look up every name. A process with a job of nobody
 * compiles it; those of somebody may read what it has left, and change nothing of it. Where that does not work the
 * program is as it is written.
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

async function bundle({ sandbox, directory, engines, logger }: BundledProgramOptions): Promise<StepProgram> {
  const program = writtenProgram();
  const compiled = dirname(join(directory, programFiles.compiled));
  const module = join(directory, programFiles.start);
  try {
    await mkdir(compiled, { recursive: true, mode: 0o700 });
    const library = await prelinkedDuckDb(engines, directory);
    await writeBundle(program.module, directory, library);
    const bundled = { module, readable: [module, join(directory, programFiles.program), dirname(library), compiled] };
    const start = startProgramIn(sandbox, anyJob.limits.memoryBytes);
    const child = start(bundled, { writable: [compiled], output: 'ignore' });
    const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
    const exited = once(child, 'exit');
    const channel = stepChannel(child);
    channel.hear((message) => {
      if (message === 'ready') channel.say({ job: anyJob, number: 1, folder: compiled, asks: false });
      // It writes what it has compiled when it ends, which it does as soon as nobody can give it a job.
      else if (typeof message === 'object' && 'report' in message) channel.close();
    });
    const [code, signal] = (await exited) as [number | null, string | null];
    clearTimeout(timer);
    if (code !== 0) throw new Error(`it ended with ${signal ?? String(code)}`);
    return bundled;
  } catch (error) {
    logger.warn(
      { event: 'step_program.bundling_failed', err: error },
      'the step program could not be bundled beforehand, and starts more slowly',
    );
    await rm(directory, { recursive: true, force: true });
    return program;
  }
}

/** Does what most steps do, so that it is compiled. */
const anyJob: StepJob = {
  kind: 'QUERY',
  inputs: [{ name: 'any', columns: [{ name: 'a', type: 'INTEGER' }] }],
  query: 'SELECT a FROM any UNION ALL SELECT 1',
  output: null,
  limits: { memoryBytes: 2 ** 26, seconds: 10, threads: 1, outputBytes: 2 ** 10, rows: 1 },
};

/** Writes a module with everything that it imports, and what starts it; the engine's own library stays where it is. */
async function writeBundle(module: string, directory: string, library: string): Promise<void> {
  // Loaded only by those that start processes again and again.
  const { build, stop } = await import('esbuild');
  const common = {
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: `node${process.versions.node}`,
    logLevel: 'silent',
  } as const;
  try {
    await build({ ...common, entryPoints: [startModule], outfile: join(directory, programFiles.start) });
    await build({
      ...common,
      entryPoints: [module],
      outfile: join(directory, programFiles.program),
      // One function of what it asks of Node.
      banner: { js: '(require) => {' },
      footer: { js: '}' },
      // Which library it is, the package finds out at its start; it is known already.
      alias: { '@duckdb/node-bindings': library },
      external: [library],
    });
  } finally {
    await stop();
  }
}
