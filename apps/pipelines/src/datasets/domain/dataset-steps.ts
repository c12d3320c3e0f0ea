import type { FileFormat, StepJob, StepReport, StepRun, WrittenOutput } from '../../step-engine/domain/step-job.ts';

/** A step over versions of datasets, whose files are in the object store. */
export interface DatasetStep extends Pick<StepJob, 'kind' | 'query' | 'limits'> {
  /** Tables of the query: versions by their keys. */
  readonly inputs: readonly DatasetStepInput[];
  /** What the output is called in logs and the report; null: nothing is written. */
  readonly output: string | null;
}

export interface DatasetStepInput {
  readonly name: string;
  readonly objectKey: string;
  /** Parquet unless said otherwise, as all data is once it is read. */
  readonly format?: FileFormat;
}

/** A written file in the object store. Unless a version takes it within a day, it is removed. */
export interface KeptOutput extends Omit<WrittenOutput, 'file'> {
  /** For the version that it becomes. */
  readonly versionId: string;
  readonly objectKey: string;
  readonly checksum: string;
}

export interface DatasetStepReport extends Omit<StepReport, 'outputs'> {
  readonly output: KeptOutput | null;
}

/** Rejected with the signal's reason when it is aborted. */
export type RunDatasetStep = (
  organisationId: string,
  step: DatasetStep,
  run: DatasetStepRun,
) => Promise<DatasetStepReport>;

export interface DatasetStepRun extends Omit<StepRun, 'findInputs'> {
  /** As of `StepRun`. */
  readonly findInputs?: (tables: readonly string[]) => Promise<readonly DatasetStepInput[]>;
}
