import type { DatasetStepReport, StoredInput } from '../../datasets/domain/dataset-steps.ts';
import type { Column, StepRun } from '../../step-engine/domain/step-job.ts';
import type { ProgramJob } from './kernel-job.ts';

/** What a program makes. */
export interface KernelOutput {
  readonly name: string;
  /** As the dataset is now; those of an output without rows cannot be told from it. */
  readonly columns: readonly Column[];
  /** Of its rows; null: any number. */
  readonly rowLimit: number | null;
}

/** A program over versions of datasets. Without output it checks, and what it writes are the rows that failed. */
export type KernelStep = ProgramJob<StoredInput, KernelOutput | null>;

/** The organisation has its fill of kernels: the step can be carried out later. */
export interface PostponedStep {
  readonly outcome: 'POSTPONED';
  readonly message: string;
}

/** Rejected when the signal is aborted. */
export type RunKernelStep = (
  organisationId: string,
  step: KernelStep,
  run: Pick<StepRun, 'signal' | 'onLog' | 'onRan'>,
) => Promise<DatasetStepReport | PostponedStep>;
