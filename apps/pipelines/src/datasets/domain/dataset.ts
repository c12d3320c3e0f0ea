import type { ConnectionSource, SourceFormat } from '../../connections/domain/source.ts';
import type { CsvOptions } from '../../step-engine/domain/csv.ts';
import type { WrittenOutput } from '../../step-engine/domain/step-job.ts';

/** A table that an organisation keeps, by its versions. Its name is what queries call it. */
export interface Dataset {
  readonly id: string;
  /** Unique in its organisation, whatever the case of its letters. */
  readonly name: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** That there have ever been. */
  readonly versionCount: number;
  /** The latest of them; null until the first upload or run has succeeded. */
  readonly currentVersion: DatasetVersion | null;
  /** The latest one; null where all data came from runs. */
  readonly upload: DatasetUpload | null;
  /** What it is read from when it is refreshed; null: nothing. */
  readonly source: ConnectionSource | null;
}

/** The data itself, which never changes; what its columns mean can be said better at any time. */
export interface DatasetVersion extends DatasetFile {
  readonly id: string;
  readonly datasetId: string;
  /** From 1, in the order in which they came to be. */
  readonly number: number;
  readonly createdAt: Date;
  readonly source: VersionSource;
  /** In the order of the columns, one for each. */
  readonly dictionary: readonly DictionaryEntry[];
}

/** A Parquet file in the object store, and what is in it. */
export interface DatasetFile extends WrittenOutput {
  readonly objectKey: string;
  /** SHA-256 in hex. */
  readonly checksum: string;
}

/** Where the data came from. */
export type VersionSource =
  | { readonly kind: 'UPLOAD'; readonly uploadId: string }
  | { readonly kind: 'CONNECTION'; readonly uploadId: string; readonly connectionId: string }
  | {
      readonly kind: 'RUN';
      readonly runId: string;
      /** The step's name. */
      readonly step: string;
      readonly inputVersionIds: readonly string[];
    };

/** What a column means. */
export interface DictionaryEntry {
  readonly name: string;
  readonly description: string;
}

/** Bytes on their way to a version: of a file that somebody brings, or of a source that is read here. */
export interface DatasetUpload {
  readonly id: string;
  /** What the bytes come from, as it was said when their reading was asked for; null: whoever has the URL brings them. */
  readonly source: ConnectionSource | null;
  readonly format: SourceFormat;
  /** How a CSV is to be read, where anything was said of that. */
  readonly csv: CsvOptions | null;
  /** Where the bytes are put, as they come. Nothing is ever there of a source, which is read to where it is needed. */
  readonly objectKey: string;
  readonly status: 'PENDING' | 'UPLOADED' | 'READING' | 'READY' | 'FAILED' | 'EXPIRED';
  readonly expiresAt: Date;
  /** How often somebody began to read it. */
  readonly attempts: number;
  readonly failure: UploadFailure | null;
  /** Rows that could not be read, as far as they are counted. */
  readonly rejectedRowCount: number;
  /** When somebody has to see to it, unless somebody does; null once it is over. */
  readonly nextAttemptAt: Date | null;
}

export interface UploadFailure {
  readonly code: string;
  readonly message: string;
}
