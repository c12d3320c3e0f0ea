import type { DatasetStepReport } from '../../datasets/domain/dataset-steps.ts';
import type { Column, StepRun } from '../../step-engine/domain/step-job.ts';
import type { KernelLimits, KernelParameters, KernelProgram } from './kernel-job.ts';

/** A program over versions of datasets, whose files are in the object store. */
export interface KernelStep {
  readonly program: KernelProgram;
  readonly parameters: KernelParameters;
  readonly inputs: readonly { readonly name: string; readonly objectKey: string }[];
  /** What the program makes; null: it checks, and what it writes are the rows that failed. */
  readonly output: KernelOutput | null;
  readonly limits: KernelLimits;
}

export interface KernelOutput {
  readonly name: string;
  /** As the dataset is now; those of an output without rows cannot be told from it. */
  readonly columns: readonly Column[];
}

/** The organisation has its fill of kernels: the step can be carried out later. */
export interface PostponedStep {
  readonly outcome: 'POSTPONED';
  readonly message: string;
}

/** Rejected when the signal is aborted. */
export type RunKernelStep = (
  organisationId: string,
  step: KernelStep,
  run: Pick<StepRun, 'signal' | 'onLog'>,
) => Promise<DatasetStepReport | PostponedStep>;
