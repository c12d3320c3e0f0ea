import type { StepInput, StepJob, StepReport } from './step-job.ts';

/** The descriptor that they go by, of the process. */
export const STEP_CHANNEL = 4;

/**
 * What a process is told: its job and the folder with the inputs, once; the inputs, where it has asked for them; and at
 * most that it shall stop.
 */
export type StepCommand =
  | { readonly job: StepJob; readonly folder: string; readonly asks: boolean }
  | { readonly inputs: readonly StepInput[] }
  | 'cancel';

/** What it says: that it is ready, which tables it needs, lines of its log, and last its report. */
export type StepMessage =
  | 'ready'
  | { readonly tables: readonly string[] }
  | { readonly log: string }
  | { readonly report: StepReport };
