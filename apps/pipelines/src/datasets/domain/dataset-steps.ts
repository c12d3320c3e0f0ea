import type { CsvOptions } from '../../step-engine/domain/csv.ts';
import type {
  FileFormat,
  KeptRows,
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

/** What is to be written; the name is for logs. */
export interface DatasetStepOutput extends Pick<StepOutput, 'name'> {
  /** Rows that stay beside the new ones, by the key of their file. */
  readonly onto?: KeptRows;
}

/** A step over versions of datasets. */
export type DatasetStep = StepJob<StoredInput, DatasetStepOutput>;
export type DatasetStepReport = StepReport<StoredOutput>;

/** Rejected with the signal's reason when it is aborted. */
export type RunDatasetStep = (
  organisationId: string,
  step: DatasetStep,
  run: StepRun<StoredInput>,
) => Promise<DatasetStepReport>;
