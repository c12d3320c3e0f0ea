import type { StepInput, StepJob, StepReport } from './step-job.ts';

/** The descriptor that they go by, of the process. */
export const STEP_CHANNEL = 4;

/** What the folder of a process has in it: files that it may read, and all that it may write. */
export const folderNames = { inputs: 'inputs', work: 'work' } as const;

/**
 * What its files are called, within it. No two jobs of a process have the same names: an engine that does several shall not
 * take a file for one that it knows.
 */
export const fileNames = {
  input: (job: number, index: number, format = 'parquet'): string =>
    `${folderNames.inputs}/input-${job}-${index}.${format}`,
  kept: (job: number): string => `${folderNames.inputs}/kept-${job}.parquet`,
  output: (job: number): string => `${folderNames.work}/output-${job}`,
};

/**
 * What a process is told: a job, the how many-th it is of the process, and the folder with its inputs; the inputs, where it has asked for them; at most once that it
 * shall stop; and when all is taken that its job has made, that another one may come: then it forgets all of that job, and says
 * again that it is ready.
 */
export type StepCommand =
  | { readonly job: StepJob; readonly number: number; readonly folder: string; readonly asks: boolean }
  | { readonly inputs: readonly StepInput[] }
  | 'cancel'
  | 'reset';

/** What it says: that it is ready, which tables it needs, lines of its log, and last its report. */
export type StepMessage =
  | 'ready'
  | { readonly tables: readonly string[] }
  | { readonly log: string }
  | { readonly report: StepReport };
