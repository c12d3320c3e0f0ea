import { storableJson } from '@platform-backend/core';
import { column, columns, jsonColumn, nullable, type Columns } from '@platform-backend/postgres';
import type { ConnectionSource } from '../../connections/domain/source.ts';
import type { RejectedRow } from '../../step-engine/domain/csv.ts';
import type { Dataset, DatasetUpload, DatasetVersion, VersionSource } from '../domain/dataset.ts';

const plainUploadColumns = columns<Omit<DatasetUpload, 'nextAttemptAt'>>({
  id: 'upload_id',
  source: jsonColumn('upload_source'),
  format: 'upload_format',
  csv: jsonColumn('upload_csv'),
  objectKey: 'upload_key',
  status: 'upload_status',
  expiresAt: 'upload_expires_at',
  attempts: 'upload_attempts',
  failure: jsonColumn('upload_failure'),
  rejectedRowCount: 'upload_rejected_row_count',
});

/** What is due is in another queue where it is read from a connection. */
const uploadColumns: Columns<DatasetUpload> = {
  names: [...plainUploadColumns.names, 'work_at', 'source_work_at'],
  read(row) {
    const { work_at: ofFile, source_work_at: ofSource } = row as Readonly<Record<string, Date | null>>;
    return { ...plainUploadColumns.read(row), nextAttemptAt: ofSource ?? ofFile ?? null };
  },
  write(upload) {
    const at = upload?.nextAttemptAt ?? null;
    const isOfSource = (upload?.source ?? null) !== null;
    return {
      ...plainUploadColumns.write(upload),
      work_at: isOfSource ? null : at,
      source_work_at: isOfSource ? at : null,
    };
  },
};

const datasetSourceColumns: Columns<ConnectionSource | null> = {
  names: ['source', 'source_connection_id'],
  read: (row) => (row as { readonly source: ConnectionSource | null }).source,
  write: (source) => ({
    source: source && storableJson(source),
    source_connection_id: source?.connectionId ?? null,
  }),
};

/** Without its current version, which is a row of its own. */
export const datasetColumns = columns<Omit<Dataset, 'currentVersion'>>({
  id: 'id',
  name: 'name',
  description: 'description',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  versionCount: 'version_count',
  upload: nullable(uploadColumns),
  source: datasetSourceColumns,
});

interface SourceRow {
  readonly upload_id: string | null;
  readonly connection_id: string | null;
  readonly run_id: string | null;
  readonly step: string | null;
  readonly input_version_ids: readonly string[];
}

export const sourceColumns = {
  names: ['upload_id', 'connection_id', 'run_id', 'step', 'input_version_ids'],
  read: (row: object): VersionSource => {
    const { upload_id: uploadId, connection_id: connectionId, run_id: runId } = row as SourceRow;
    const { step, input_version_ids: inputVersionIds } = row as SourceRow;
    if (uploadId !== null && connectionId !== null) return { kind: 'CONNECTION', uploadId, connectionId };
    if (uploadId !== null) return { kind: 'UPLOAD', uploadId };
    return { kind: 'RUN', runId: runId ?? '', step: step ?? '', inputVersionIds };
  },
  write: (source: VersionSource | null): Partial<SourceRow> => {
    const none = { upload_id: null, connection_id: null, run_id: null, step: null, input_version_ids: [] };
    if (!source) return none;
    if (source.kind === 'UPLOAD') return { ...none, upload_id: source.uploadId };
    if (source.kind === 'CONNECTION')
      return { ...none, upload_id: source.uploadId, connection_id: source.connectionId };
    const { runId, step, inputVersionIds } = source;
    return { ...none, run_id: runId, step, input_version_ids: [...inputVersionIds] };
  },
};

/** A `bigint` that JavaScript counts exactly: rows and bytes of one file. */
const count = (name: string) => column(name, { read: (stored: string | number) => Number(stored), write: Number });

export const versionColumns = columns<DatasetVersion>({
  id: 'id',
  datasetId: 'dataset_id',
  number: 'number',
  // Within JSON it is text.
  createdAt: column('created_at', { read: (stored: Date | string) => new Date(stored), write: (at: Date) => at }),
  columns: jsonColumn('columns'),
  rows: count('rows'),
  bytes: count('bytes'),
  objectKey: 'object_key',
  checksum: 'checksum',
  statistics: jsonColumn('statistics'),
  dictionary: jsonColumn('dictionary'),
  source: sourceColumns,
});

export const rejectedRowColumns = columns<RejectedRow>({
  line: count('line'),
  reason: 'reason',
  column: 'column_name',
  message: 'message',
  text: 'text',
});
