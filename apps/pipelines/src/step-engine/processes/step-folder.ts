import { randomUUID } from 'node:crypto';
import { copyFile, link, lstat, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StepInput, StepJob } from '../domain/step-job.ts';

/** The folder of one process: all of the machine's files that it has. */
export interface StepFolder {
  readonly path: string;
  /** Brings inputs in, and answers what they are called there. */
  readonly bringInputs: (inputs: readonly StepInput[]) => Promise<readonly StepInput[]>;
  /** Brings the inputs in; the answer is the job as the program in this folder is told it. */
  readonly prepare: (job: StepJob) => Promise<StepJob>;
  /** Puts what was written where the job wants it. */
  readonly collect: (job: Pick<StepJob, 'output'>) => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Whatever the program says: what has taken it over would name files that are not its own. */
const OUTPUT = 'output';

export async function newStepFolder(directory: string): Promise<StepFolder> {
  const path = join(directory, randomUUID());
  await mkdir(path, { recursive: true, mode: 0o700 });
  const bringInputs = (inputs: readonly StepInput[]) =>
    Promise.all(
      inputs.map(async (input, index) => {
        if (!('file' in input)) return input;
        const file = `input-${index}.${input.format ?? 'parquet'}`;
        await bring(input.file, join(path, file));
        return { ...input, file };
      }),
    );
  return {
    path,
    bringInputs,
    prepare: async (job) => ({
      ...job,
      inputs: await bringInputs(job.inputs),
      output: job.output && { ...job.output, file: OUTPUT },
    }),
    async collect({ output }) {
      if (!output) throw new Error('nobody wants an output');
      const written = join(path, OUTPUT);
      if (!(await lstat(written)).isFile()) throw new Error(`what was written as ${output.name} is no file`);
      await rename(written, output.file).catch(async (error: unknown) => {
        if (!isAcrossDevices(error)) throw error;
        await copyFile(written, output.file);
      });
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** The same file under another name where that is possible. The program gets it without the right to change it. */
async function bring(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!isAcrossDevices(error)) throw error;
    await copyFile(from, to);
  }
}

const isAcrossDevices = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EXDEV';
