import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { StepInput, StepJob, StepOutput } from '../domain/step-job.ts';
import { fileNames, folderNames } from '../domain/step-messages.ts';

/**
 * The folder of one process: all of the machine's files that it has. While the process lives nothing in it is followed, and
 * nothing of what it has made is removed from here: it could put a link to elsewhere in the way at any moment. The two folders
 * are mounts of their own there, which it can neither move nor replace.
 */
export interface StepFolder {
  readonly path: string;
  /** May be read by the process, and not even be renamed: inputs are other names of files that other steps have as well. */
  readonly inputs: string;
  readonly work: string;
  /** Brings inputs in, and answers what they are called there. */
  readonly bringInputs: (inputs: readonly StepInput[], number: number) => Promise<readonly StepInput[]>;
  /** Brings the inputs in; the answer is the job as the program in this folder is told it. */
  readonly prepare: (job: StepJob, number: number) => Promise<StepJob>;
  /** Puts what was written where the job wants it. */
  readonly collect: (job: Pick<StepJob, 'output'>, number: number) => Promise<void>;
  readonly removeInputs: () => Promise<void>;
  /** Of all that it has written, as far as it is still there. */
  readonly writtenBytes: () => Promise<number>;
  /** Whether nothing of any job is in it. */
  readonly isEmpty: () => Promise<boolean>;
  /** Only once its process is gone. */
  readonly remove: () => Promise<void>;
}

export async function newStepFolder(directory: string): Promise<StepFolder> {
  const path = join(directory, randomUUID());
  const [own, work] = [join(path, folderNames.inputs), join(path, folderNames.work)];
  await mkdir(path, { recursive: true, mode: 0o700 });
  await Promise.all([own, work].map((folder) => mkdir(folder, { mode: 0o700 })));
  const bringInputs: StepFolder['bringInputs'] = (inputs, number) =>
    Promise.all(
      inputs.map(async (input, index) => {
        if (!('file' in input)) return input;
        const file = fileNames.input(number, index, input.format);
        await bring(input.file, join(path, file));
        return { ...input, file };
      }),
    );
  /** The rows that an output has already. */
  async function bringKept({ onto }: StepOutput, number: number): Promise<Pick<StepOutput, 'onto'>> {
    if (!onto?.file) return onto ? { onto } : {};
    const file = fileNames.kept(number);
    await bring(onto.file, join(path, file));
    return { onto: { ...onto, file } };
  }
  return {
    ...{ path, inputs: own, work },
    bringInputs,
    prepare: async (job, number) => ({
      ...job,
      inputs: await bringInputs(job.inputs, number),
      output: job.output && { ...job.output, ...(await bringKept(job.output, number)), file: fileNames.output(number) },
    }),
    async collect({ output }, number) {
      if (!output) throw new Error('nobody wants an output');
      // Whatever the program says: what has taken it over would name files that are not its own.
      await takeFile(join(path, fileNames.output(number)), output.file).catch((error: unknown) => {
        throw new Error(`what was written as ${output.name} is no file`, { cause: error });
      });
    },
    async removeInputs() {
      for (const name of await readdir(own)) await rm(join(own, name));
    },
    writtenBytes: () => bytesIn(work),
    isEmpty: async () => (await Promise.all([own, work].map((folder) => readdir(folder)))).every(isNothing),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** Looks at links, and not through them. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const sizes = entries.map(async ({ parentPath, name }) => {
    // What was removed meanwhile takes no room.
    const { size } = await lstat(join(parentPath, name)).catch(() => ({ size: 0 }));
    return size;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

const isNothing = (names: readonly string[]): boolean => names.length === 0;

/** The same file under another name where that is possible. The program gets it without the right to change it. */
async function bring(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!isAcrossDevices(error)) throw error;
    await copyFile(from, to);
  }
}

/** Is looked at where it is out of reach: before, a link to elsewhere could take its place behind the look. */
async function takeFile(written: string, to: string): Promise<void> {
  try {
    await rename(written, to);
  } catch (error) {
    if (!isAcrossDevices(error)) throw error;
    return copyOf(written, to);
  }
  if ((await lstat(to)).isFile()) return;
  await rm(to, { recursive: true, force: true });
  throw new Error('it is of another kind');
}

async function copyOf(written: string, to: string): Promise<void> {
  // Neither through a link, nor waiting for whoever would write into a pipe.
  await using file = await open(written, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (!(await file.stat()).isFile()) throw new Error('it is of another kind');
  await using copy = await open(to, 'wx', 0o600);
  await pipeline(file.createReadStream({ autoClose: false }), copy.createWriteStream({ autoClose: false }));
}

const isAcrossDevices = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EXDEV';
