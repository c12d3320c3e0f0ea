import { decided, unchanged } from '@platform-backend/core';
import { isSameSource, type ConnectionSource } from '../../connections/domain/source.ts';
import { blankDataset, existing } from './change-dataset.ts';
import { datasetCreated, type DatasetDecision } from './dataset-events.ts';
import type { Dataset, DatasetUpload } from './dataset.ts';
import { datasetExists, datasetReadOtherwise, datasetWithoutSource, uploadBeingRead } from './errors.ts';
import { requireCsv } from './upload-dataset.ts';

export interface ReadFromSource extends Pick<Dataset, 'id' | 'name' | 'description'> {
  readonly source: ConnectionSource;
  /** Of the reading, should it be a new one. */
  readonly newUpload: Pick<DatasetUpload, 'id' | 'objectKey'>;
}

/** Makes a dataset whose source is read at once. The same again finds it, and reads nothing. */
export function createFromSource(
  dataset: Dataset | undefined,
  { id, name, description, source, newUpload }: ReadFromSource,
  at: Date,
): DatasetDecision {
  requireSourceCsv(source);
  if (!dataset) {
    const upload = readingOf(source, newUpload, at);
    const made: Dataset = { ...blankDataset, id, name, description, source, createdAt: at, updatedAt: at, upload };
    return decided(made, datasetCreated(made, at));
  }
  if (dataset.name !== name) throw datasetExists();
  if (!isSameSource(dataset.source, source)) throw datasetReadOtherwise();
  return unchanged(dataset);
}

/** Has its source read again; what waits or is being read already is read once. */
export function refreshDataset(
  dataset: Dataset | undefined,
  newUpload: Pick<DatasetUpload, 'id' | 'objectKey'>,
  at: Date,
): DatasetDecision {
  const before = existing(dataset);
  const { source, upload } = before;
  if (!source) throw datasetWithoutSource();
  const isUnderWay = upload?.status === 'UPLOADED' || upload?.status === 'READING';
  if (isUnderWay && upload.source) return unchanged(before);
  if (isUnderWay || upload?.status === 'PENDING') throw uploadBeingRead();
  const after: Dataset = { ...before, upload: readingOf(source, newUpload, at) };
  return decided(after);
}

/** INVALID: it says how a CSV is read, and is none. */
export function requireSourceCsv(source: ConnectionSource): void {
  if (source.kind !== 'POSTGRESQL') requireCsv(source.format, source.csv, ['body', 'source', 'csv']);
}

/** It waits for its turn. */
const readingOf = (
  source: ConnectionSource,
  newUpload: Pick<DatasetUpload, 'id' | 'objectKey'>,
  at: Date,
): DatasetUpload => ({
  ...newUpload,
  source,
  format: source.kind === 'POSTGRESQL' ? 'jsonl' : source.format,
  csv: source.kind === 'POSTGRESQL' ? null : source.csv,
  status: 'UPLOADED',
  expiresAt: at,
  attempts: 0,
  failure: null,
  rejectedRowCount: 0,
  nextAttemptAt: at,
});
