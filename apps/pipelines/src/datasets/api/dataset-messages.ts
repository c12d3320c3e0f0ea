import type {
  DataDictionaryChangesInput,
  DatasetInput,
  DatasetLineageInput,
  DatasetVersionInput,
  QueryResultInput,
  VersionSourceInput,
} from '@platform-backend/contract-pipelines';
import type { Lineage } from '../app/dataset-lineage.ts';
import type { QueryAnswer } from '../app/query-datasets.ts';
import type { Dataset, DatasetVersion, VersionSource } from '../domain/dataset.ts';
import type { DictionaryChanges } from '../domain/dictionary.ts';
import { datasetSourceMessage } from './dataset-sources.ts';

export const datasetMessage = (organisationId: string, dataset: Dataset): DatasetInput => ({
  id: dataset.id,
  organisationId,
  name: dataset.name,
  description: dataset.description,
  createdAt: dataset.createdAt,
  updatedAt: dataset.updatedAt,
  currentVersion: dataset.currentVersion && versionMessage(dataset.currentVersion),
  upload: dataset.upload && {
    id: dataset.upload.id,
    status: dataset.upload.status,
    failure: dataset.upload.failure,
    rejectedRowCount: dataset.upload.rejectedRowCount,
  },
  source: dataset.source && datasetSourceMessage(dataset.source),
});

export const versionMessage = (version: DatasetVersion): DatasetVersionInput => ({
  id: version.id,
  datasetId: version.datasetId,
  number: version.number,
  createdAt: version.createdAt,
  rows: version.rows,
  sizeBytes: version.bytes,
  checksum: version.checksum,
  columns: version.columns.map(({ name, type }, index) => {
    const { nulls = 0, distinct = 0, min = null, max = null } = version.statistics[index] ?? {};
    return { name, type, nulls, distinct, min, max };
  }),
  source: sourceMessage(version.source),
});

function sourceMessage(source: VersionSource): VersionSourceInput {
  switch (source.kind) {
    case 'UPLOAD':
      return { upload: { uploadId: source.uploadId } };
    case 'CONNECTION':
      return { connection: { uploadId: source.uploadId, connectionId: source.connectionId } };
    case 'RUN':
      return { run: { runId: source.runId, step: source.step } };
  }
}

export const lineageMessage = (datasetId: string, { versions, isCut }: Lineage): DatasetLineageInput => ({
  datasetId,
  versions: versions.map(({ id, source, ...version }) => ({
    ...version,
    versionId: id,
    source: sourceMessage(source),
    inputVersionIds: source.kind === 'RUN' ? source.inputVersionIds : [],
  })),
  isCut,
});

export const queryMessage = ({ columns, rows, isCut, seconds, plan = [] }: QueryAnswer): QueryResultInput => ({
  columns,
  rows: rows,
  isCut,
  seconds,
  plan: plan.map(({ estimatedRows, rows: counted, ...operator }) => ({
    ...operator,
    estimatedRows: wholeNumber(estimatedRows),
    rows: wholeNumber(counted),
  })),
});

const wholeNumber = (number: number | null): string | null => (number === null ? null : String(Math.round(number)));

export const changesMessage = (
  { from, to }: { readonly from: number; readonly to: number },
  changes: DictionaryChanges,
): DataDictionaryChangesInput => ({ from, to, ...changes });
