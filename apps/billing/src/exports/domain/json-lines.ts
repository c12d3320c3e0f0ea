import type { ColumnKind, ExportedValue, FileFormat } from './exported.ts';

/** An object on each line, with null for what has no value. Integers have all their digits. */
export const jsonLines: FileFormat = {
  mediaType: 'application/jsonl',
  extension: 'jsonl',
  head: () => '',
  line: (columns, row) =>
    `{${Object.entries(columns)
      .map(([name, kind]) => `${JSON.stringify(name)}:${jsonOf(kind, row[name])}`)
      .join(',')}}\n`,
};

function jsonOf(kind: ColumnKind, value: ExportedValue): string {
  if (value === null || value === undefined) return 'null';
  if (kind === 'time') return JSON.stringify((value as Date).toISOString());
  return kind === 'integer' && typeof value === 'string' ? value : JSON.stringify(value);
}
