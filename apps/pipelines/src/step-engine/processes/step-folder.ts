import { randomUUID } from 'node:crypto';
import { copyFile, link, lstat, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StepJob, WrittenOutput } from '../domain/step-job.ts';

/** The folder of one process: all of the machine's files that it has. */
export interface StepFolder {
  readonly path: string;
  /** Brings the inputs in; the answer is the job as the program in this folder is told it. */
  readonly placeInputs: (job: StepJob) => Promise<StepJob>;
  /** Puts what was written where the job wants it. */
  readonly collect: (outputs: readonly WrittenOutput[], job: StepJob) => Promise<void>;
  readonly remove: () => Promise<void>;
}

export async function newStepFolder(directory: string): Promise<StepFolder> {
  const path = join(directory, randomUUID());
  await mkdir(path, { recursive: true, mode: 0o700 });
  return {
    path,
    async placeInputs(job) {
      const inputs = await Promise.all(
        job.inputs.map(async (input, index) => {
          if (!('file' in input)) return input;
          const file = `input-${index}.${input.format}`;
          await bring(input.file, join(path, file));
          return { ...input, file };
        }),
      );
      return { ...job, inputs, outputs: job.outputs.map((output, index) => ({ ...output, file: fileOf(index) })) };
    },
    async collect(outputs, job) {
      for (const output of outputs) {
        const place = placeOf(output, job);
        // Whatever the program says of it: what has taken the program over would name files that are not its own.
        const written = join(path, fileOf(job.outputs.findIndex(({ name }) => name === output.name)));
        if (!(await lstat(written)).isFile()) throw new Error(`what was written as ${output.name} is no file`);
        await rename(written, place).catch(async (error: unknown) => {
          if (!isAcrossDevices(error)) throw error;
          await copyFile(written, place);
        });
      }
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

const fileOf = (output: number): string => `output-${output}`;

/** Where the job wants an output. */
export function placeOf({ name }: Pick<WrittenOutput, 'name'>, { outputs }: StepJob): string {
  const wanted = outputs.find((output) => output.name === name);
  if (!wanted) throw new Error(`nobody wants an output called ${name}`);
  return wanted.file;
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
