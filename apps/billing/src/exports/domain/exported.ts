/** `list` is shown as JSON alone: a table has no room for it. */
export type ColumnKind = 'text' | 'integer' | 'time' | 'list';

/** What a file shows of each row, by name and in this order. */
export type ExportedColumns = Readonly<Record<string, ColumnKind>>;

/** A value as it is stored: large integers as decimal text, so that no digit is lost. */
export type ExportedValue = string | number | Date | readonly object[] | null | undefined;

export type ExportedRow = Readonly<Record<string, ExportedValue>>;

export type ExportFormat = 'csv' | 'jsonl';

/** How rows become a file. */
export interface FileFormat {
  readonly mediaType: string;
  readonly extension: string;
  /** What comes before all rows. */
  readonly head: (columns: ExportedColumns) => string;
  readonly line: (columns: ExportedColumns, row: ExportedRow) => string;
}
