import type { ColumnKind, ExportedColumns, ExportedValue, FileFormat } from './exported.ts';

/** By what RFC 4180 says a field has to be quoted; and around spaces, which some readers would cut off. */
const needsQuotes = /[",\r\n]|^\s|\s$/;

/** What spreadsheets take for the beginning of a formula, in the full width of East Asian texts as well. */
const beginsFormula = /^[=+\-@\t\r\n＝＋－＠]/;

/** CSV with a line of names, in UTF-8 without a byte order mark. */
export const csv: FileFormat = {
  mediaType: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  head: (columns) => lineOf(shown(columns).map(([name]) => name)),
  line: (columns, row) => lineOf(shown(columns).map(([name, kind]) => cell(kind, row[name]))),
};

const shown = (columns: ExportedColumns) => Object.entries(columns).filter(([, kind]) => kind !== 'list');

const lineOf = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;

const quoted = (text: string): string => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Nothing for what has no value. Only texts are made harmless: a negative number is a number. */
function cell(kind: ColumnKind, value: ExportedValue): string {
  if (value === null || value === undefined) return '';
  if (kind === 'time') return (value as Date).toISOString();
  const text = textOf(value);
  return kind === 'text' && beginsFormula.test(text) ? `'${text}` : text;
}

const textOf = (value: ExportedValue): string => (typeof value === 'string' ? value : JSON.stringify(value));
