import type { Column } from '../../step-engine/domain/column.ts';
import type { CsvOptions } from '../../step-engine/domain/csv.ts';
import type { FileFormat } from '../../step-engine/domain/step-job.ts';
import type { Connection } from './connection.ts';

/** What of a connection makes the rows of a dataset. */
export type ConnectionSource = PostgresqlSource | S3Source | HttpSource;

export interface PostgresqlSource {
  readonly kind: 'POSTGRESQL';
  readonly connectionId: string;
  readonly query: string;
}

export interface S3Source extends FileSource {
  readonly kind: 'S3';
  readonly connectionId: string;
  readonly key: string;
}

export interface HttpSource extends FileSource {
  readonly kind: 'HTTP';
  readonly connectionId: string;
  readonly path: string;
}

interface FileSource {
  readonly format: SourceFormat;
  readonly csv: CsvOptions | null;
}

/** `json`: an array of objects. */
export type SourceFormat = FileFormat | 'json';

/** Whether two say the same, in whatever order their fields come from the store. */
export const isSameSource = (one: ConnectionSource | null, other: ConnectionSource | null): boolean =>
  textOf(one) === textOf(other);

function textOf(source: ConnectionSource | null): string {
  if (source === null) return '';
  const { kind, connectionId } = source;
  if (kind === 'POSTGRESQL') return JSON.stringify([kind, connectionId, source.query]);
  const { format, csv } = source;
  const options = csv && [
    ...[csv.delimiter, csv.quote, csv.encoding, csv.hasHeader, csv.decimalSeparator, csv.maxRejectedRows],
    csv.columns.map(({ name, type }) => [name, type]),
  ];
  return JSON.stringify([kind, connectionId, kind === 'S3' ? source.key : source.path, format, options]);
}

/** What was brought to a file of this machine. */
export interface FetchedSource {
  readonly format: SourceFormat;
  readonly csv?: CsvOptions;
  /** Of JSON lines: what its columns are, where that is known. */
  readonly types?: readonly Column[];
}

/** Where it is brought, and how much of it; `signal` ends it. */
export interface FetchInto {
  readonly file: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** A connection whose secret is open. */
export interface OpenConnection<Settings = Connection['settings']> {
  readonly settings: Settings;
  readonly secret: string;
}

/** Why a connection could not be used: for whoever has set it up, without a word of its secret. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

export const sourceTooLarge = (maxBytes: number): SourceFailure =>
  new SourceFailure('too_large', `It has more than ${maxBytes} bytes`);

/** What one kind of connection can do. @throws SourceFailure */
export interface SourceClient<Settings, Source> {
  readonly test: (connection: OpenConnection<Settings>, signal: AbortSignal) => Promise<void>;
  readonly fetch: (connection: OpenConnection<Settings>, source: Source, into: FetchInto) => Promise<FetchedSource>;
}
