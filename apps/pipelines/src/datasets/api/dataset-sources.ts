import type {
  CsvOptions as CsvOptionsMessage,
  DatasetSourceInput,
  NewDatasetSource,
} from '@platform-backend/contract-pipelines';
import type { ConnectionSource, SourceFormat } from '../../connections/domain/source.ts';
import type { CsvOptions } from '../../step-engine/domain/csv.ts';

const encodings = {
  UTF_8: 'utf-8',
  UTF_16: 'utf-16',
  LATIN_1: 'latin-1',
} as const satisfies Record<string, CsvOptions['encoding']>;

const encodingNames = { 'utf-8': 'UTF_8', 'utf-16': 'UTF_16', 'latin-1': 'LATIN_1' } as const;

export const csvOptions = ({ encoding, decimalSeparator, ...options }: CsvOptionsMessage): CsvOptions => ({
  ...options,
  encoding: encodings[encoding],
  decimalSeparator: decimalSeparator === 'COMMA' ? ',' : '.',
});

const csvMessage = ({ encoding, decimalSeparator, columns, ...options }: CsvOptions) => ({
  ...options,
  columns: columns.map(({ name, type }) => ({ name, type })),
  encoding: encodingNames[encoding],
  decimalSeparator: decimalSeparator === ',' ? ('COMMA' as const) : ('POINT' as const),
});

const formats = {
  CSV: 'csv',
  JSON_LINES: 'jsonl',
  PARQUET: 'parquet',
  JSON: 'json',
} as const satisfies Record<string, SourceFormat>;

const formatNames = { csv: 'CSV', jsonl: 'JSON_LINES', parquet: 'PARQUET', json: 'JSON' } as const;

export function datasetSource({ postgresql, s3, http }: NewDatasetSource): ConnectionSource {
  if (postgresql) return { kind: 'POSTGRESQL', ...postgresql };
  if (s3) return { kind: 'S3', ...s3, format: formats[s3.format], csv: s3.csv && csvOptions(s3.csv) };
  if (http) return { kind: 'HTTP', ...http, format: formats[http.format], csv: http.csv && csvOptions(http.csv) };
  throw new Error('the contract lets no source without a kind through');
}

export function datasetSourceMessage(source: ConnectionSource): DatasetSourceInput {
  if (source.kind === 'POSTGRESQL') return { postgresql: { connectionId: source.connectionId, query: source.query } };
  const { kind: _kind, format, csv, ...of } = source;
  const file = { format: formatNames[format], csv: csv && csvMessage(csv) };
  return 'key' in of ? { s3: { ...of, ...file } } : { http: { ...of, ...file } };
}
