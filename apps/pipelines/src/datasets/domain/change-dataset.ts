import { decided, fieldViolation, invalid, unchanged } from '@platform-backend/core';
import { isSameSource, type ConnectionSource } from '../../connections/domain/source.ts';
import { datasetCreated, datasetDeleted, datasetUpdated, type DatasetDecision } from './dataset-events.ts';
import type { Dataset, DatasetFile, DatasetVersion, DictionaryEntry, VersionSource } from './dataset.ts';
import { dictionaryOf } from './dictionary.ts';
import { datasetEmpty, datasetNotFound } from './errors.ts';

export interface ChangeDataset {
  readonly name?: string;
  readonly description?: string;
  readonly source?: ConnectionSource | null;
}

/** Changes the fields given; the same values again change nothing and are no event. */
export function changeDataset(dataset: Dataset | undefined, wanted: ChangeDataset, at: Date): DatasetDecision {
  const before = existing(dataset);
  const after = { ...before, ...wanted, updatedAt: at };
  const isSame = after.name === before.name && after.description === before.description;
  if (isSame && isSameSource(after.source, before.source)) return unchanged(before);
  return decided(after, datasetUpdated(before, after, at));
}

/** A dataset without data, for the first output of a run of that name. */
export function createDataset({ id, name }: Pick<Dataset, 'id' | 'name'>, at: Date): DatasetDecision {
  const dataset: Dataset = { ...blankDataset, id, name, createdAt: at, updatedAt: at };
  return decided(dataset, datasetCreated(dataset, at));
}

export const blankDataset = {
  description: '',
  versionCount: 0,
  currentVersion: null,
  upload: null,
  source: null,
} as const;

export function deleteDataset(
  dataset: Dataset | undefined,
  at: Date,
): Omit<DatasetDecision, 'state'> & { readonly state: undefined } {
  const deleted = existing(dataset);
  return decided(undefined, datasetDeleted(deleted, at), deleted);
}

export interface NewVersion extends DatasetFile {
  readonly id: string;
  readonly source: VersionSource;
}

/** New data of a dataset. What was said of its columns goes on. */
export function addVersion(dataset: Dataset, made: NewVersion, at: Date): DatasetDecision {
  const version: DatasetVersion = {
    ...made,
    datasetId: dataset.id,
    number: dataset.versionCount + 1,
    createdAt: at,
    dictionary: dictionaryOf(made.columns, dataset.currentVersion),
  };
  const after = { ...dataset, versionCount: version.number, currentVersion: version, updatedAt: at };
  const audited = made.source.kind !== 'RUN';
  return decided(after, datasetUpdated(dataset, after, at, { audited }));
}

/** INVALID: there is no such column. */
export function describeColumns(
  dataset: Dataset | undefined,
  entries: readonly DictionaryEntry[],
  at: Date,
): DatasetDecision {
  const before = existing(dataset);
  if (!before.currentVersion) throw datasetEmpty();
  const { dictionary } = before.currentVersion;
  const known = new Set(dictionary.map(({ name }) => name));
  const unknown = entries.flatMap(({ name }, index) =>
    known.has(name) ? [] : [fieldViolation(['body', 'entries', index, 'name'], 'there is no such column', name)],
  );
  if (unknown.length > 0) throw invalid(unknown);
  const said = new Map(entries.map(({ name, description }) => [name, description]));
  const next = dictionary.map(({ name, description }) => ({ name, description: said.get(name) ?? description }));
  if (next.every(({ description }, index) => description === dictionary[index]?.description)) return unchanged(before);
  const after = { ...before, updatedAt: at, currentVersion: { ...before.currentVersion, dictionary: next } };
  return decided(after, datasetUpdated(before, after, at));
}

export function existing(dataset: Dataset | undefined): Dataset {
  if (!dataset) throw datasetNotFound();
  return dataset;
}
