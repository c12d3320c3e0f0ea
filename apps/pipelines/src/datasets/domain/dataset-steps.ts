import type { CsvOptions } from '../../step-engine/domain/csv.ts';
import type {
  FileFormat,
  StepJob,
  StepOutput,
  StepReport,
  StepRun,
  WrittenOutput,
} from '../../step-engine/domain/step-job.ts';

/** A version of a dataset as a table of a query: its file is in the object store. */
export interface StoredInput {
  readonly name: string;
  readonly objectKey: string;
  /** Parquet unless said otherwise, as all data is once it is read. */
  readonly format?: FileFormat;
  readonly csv?: CsvOptions;
}

/** A written file in the object store. Unless a version takes it within a day, it is removed. */
export interface StoredOutput extends WrittenOutput {
  /** For the version that it becomes. */
  readonly versionId: string;
  readonly objectKey: string;
  readonly checksum: string;
}

/** A step over versions of datasets. The name of its output is for logs. */
export type DatasetStep = StepJob<StoredInput, Pick<StepOutput, 'name'>>;
export type DatasetStepReport = StepReport<StoredOutput>;

/** Rejected with the signal's reason when it is aborted. */
export type RunDatasetStep = (
  organisationId: string,
  step: DatasetStep,
  run: StepRun<StoredInput>,
) => Promise<DatasetStepReport>;
