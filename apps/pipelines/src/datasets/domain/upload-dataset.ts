import { decided, type Decision, invalidField, unchanged } from '@platform-backend/core';
import type { SourceFormat } from '../../connections/domain/source.ts';
import type { PipelinesEvent } from '../../events.ts';
import type { CsvOptions } from '../../step-engine/domain/csv.ts';
import type { FileFormat } from '../../step-engine/domain/step-job.ts';
import { addVersion, blankDataset } from './change-dataset.ts';
import { datasetCreated, type DatasetDecision } from './dataset-events.ts';
import type { Dataset, DatasetFile, DatasetUpload, UploadFailure, VersionSource } from './dataset.ts';
import { datasetExists, datasetNotFound, uploadBeingRead, urlExpired } from './errors.ts';
import { MAX_ATTEMPTS, UPLOAD_GRACE_MS, URL_LIFETIME_MS } from './limits.ts';

export const contentTypes: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

export interface RequestUpload extends Pick<Dataset, 'id' | 'name' | 'description'> {
  readonly format: FileFormat;
  readonly csv: CsvOptions | null;
  /** Of the upload, should it be a new one. */
  readonly newUpload: Pick<DatasetUpload, 'id' | 'objectKey'>;
  /** When to look for the bytes first. */
  readonly nextPollAt: Date;
}

/** Makes the dataset, or finds it again, and awaits bytes for its next version (D30). */
export function requestUpload(
  dataset: Dataset | undefined,
  { id, name, description, format, csv, newUpload, nextPollAt }: RequestUpload,
  at: Date,
): DatasetDecision {
  requireCsv(format, csv);
  const anew: DatasetUpload = {
    ...newUpload,
    source: null,
    format,
    csv,
    status: 'PENDING',
    expiresAt: new Date(at.getTime() + URL_LIFETIME_MS),
    attempts: 0,
    failure: null,
    rejectedRowCount: 0,
    nextAttemptAt: nextPollAt,
  };
  if (!dataset) {
    const made = { ...blankDataset, id, name, description, createdAt: at, updatedAt: at, upload: anew };
    return decided(made, datasetCreated(made, at));
  }
  if (dataset.name !== name) throw datasetExists();
  const { upload } = dataset;
  if (upload?.status === 'UPLOADED' || upload?.status === 'READING') throw uploadBeingRead();
  const goesOn = upload?.status === 'PENDING' && upload.format === format;
  return quietly(dataset, goesOn ? { ...upload, csv, expiresAt: anew.expiresAt, nextAttemptAt: nextPollAt } : anew);
}

export function requireCsv(
  format: SourceFormat,
  csv: CsvOptions | null,
  loc: readonly string[] = ['body', 'csv'],
): void {
  if (!csv || format === 'csv') return;
  throw invalidField(loc, 'only of a CSV', null);
}

export interface ReceivedBytes {
  readonly objectKey: string;
  readonly bytes: number;
  readonly maxBytes: number;
}

/** The bytes are there. Whoever says so again, or too late, changes nothing. */
export function recordUpload(dataset: Dataset | undefined, received: ReceivedBytes, at: Date): DatasetDecision {
  const upload = dataset?.upload;
  if (!dataset || upload?.objectKey !== received.objectKey) throw datasetNotFound();
  if (upload.status === 'EXPIRED') throw urlExpired();
  if (upload.status !== 'PENDING') return unchanged(dataset);
  if (received.bytes > received.maxBytes)
    return quietly(
      dataset,
      failed(upload, { code: 'too_large', message: `The file is larger than ${received.maxBytes} bytes` }),
    );
  return quietly(dataset, { ...upload, status: 'UPLOADED', nextAttemptAt: at });
}

/** Nobody has uploaded anything: it expires, or is looked for again at `nextPoll`. */
export function recordMissingUpload(dataset: Dataset | undefined, nextPoll: Date, at: Date): QuietDecision {
  const upload = dataset?.upload;
  if (!dataset || upload?.status !== 'PENDING') return unchanged(dataset);
  const isOver = at.getTime() >= upload.expiresAt.getTime() + UPLOAD_GRACE_MS;
  return quietly(
    dataset,
    isOver ? { ...upload, status: 'EXPIRED', nextAttemptAt: null } : { ...upload, nextAttemptAt: nextPoll },
  );
}

/** Which reading of which upload; whoever has begun another one since makes it void. */
export type Reading = Pick<DatasetUpload, 'id' | 'attempts'>;

/** Takes it in hand until `leaseUntil`. One whose readers were all lost is given up. */
export function beginReading(dataset: Dataset | undefined, leaseUntil: Date, at: Date): QuietDecision {
  const upload = dataset?.upload;
  if (!dataset || !upload || !isDue(upload, at)) return unchanged(dataset);
  if (upload.attempts >= MAX_ATTEMPTS)
    return quietly(dataset, failed(upload, { code: 'reader_failed', message: 'The file could not be read' }));
  return quietly(dataset, { ...upload, status: 'READING', attempts: upload.attempts + 1, nextAttemptAt: leaseUntil });
}

const isDue = ({ status, nextAttemptAt }: DatasetUpload, at: Date): boolean =>
  (status === 'UPLOADED' || status === 'READING') && nextAttemptAt !== null && nextAttemptAt <= at;

export const renewReading = (dataset: Dataset | undefined, reading: Reading, leaseUntil: Date): QuietDecision =>
  whileReading(dataset, reading, (before, upload) => quietly(before, { ...upload, nextAttemptAt: leaseUntil }));

export const failReading = (
  dataset: Dataset | undefined,
  reading: Reading,
  failure: UploadFailure,
  rejectedRowCount = 0,
): QuietDecision =>
  whileReading(dataset, reading, (before, upload) => quietly(before, failed({ ...upload, rejectedRowCount }, failure)));

/** What was read becomes the current version. */
export const finishReading = (
  dataset: Dataset | undefined,
  reading: Reading,
  made: DatasetFile & { readonly versionId: string; readonly rejectedRowCount?: number },
  at: Date,
): QuietDecision =>
  whileReading(dataset, reading, (before, upload) => {
    const { versionId: id, rejectedRowCount = 0, ...file } = made;
    const done: Dataset = { ...before, upload: { ...upload, status: 'READY', rejectedRowCount, nextAttemptAt: null } };
    return addVersion(done, { ...file, id, source: versionSource(upload) }, at);
  });

const versionSource = ({ id: uploadId, source }: DatasetUpload): VersionSource =>
  source ? { kind: 'CONNECTION', uploadId, connectionId: source.connectionId } : { kind: 'UPLOAD', uploadId };

type QuietDecision = Decision<Dataset | undefined, PipelinesEvent>;

function whileReading(
  dataset: Dataset | undefined,
  { id, attempts }: Reading,
  change: (before: Dataset, upload: DatasetUpload) => DatasetDecision,
): QuietDecision {
  const upload = dataset?.upload;
  const isOurs = upload?.status === 'READING' && upload.id === id && upload.attempts === attempts;
  return dataset && isOurs ? change(dataset, upload) : unchanged(dataset);
}

const failed = (upload: DatasetUpload, failure: UploadFailure): DatasetUpload => ({
  ...upload,
  status: 'FAILED',
  failure,
  nextAttemptAt: null,
});

/** How far an upload is concerns nobody but who asks. */
const quietly = (dataset: Dataset, upload: DatasetUpload): Decision<Dataset, never> => {
  const state: Dataset = { ...dataset, upload };
  return decided(state);
};
