import { parse } from 'csv-parse';
import { TextPieces, type DocumentText } from '../document-text.ts';
import { CellBudget, TableText } from './table-text.ts';

export async function readCsv(content: string): Promise<DocumentText> {
  const rows = parse(content, {
    delimiter: delimiterOf(content),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: 1_000_000,
  });
  const text = new TextPieces();
  const table = new TableText(text, new CellBudget());
  for await (const row of rows as AsyncIterable<string[]>) table.row(row);
  return { pages: [text.toString()], hasPages: false, tables: [table.outline()] };
}

/** The character that is there most often in every one of the first lines. */
function delimiterOf(content: string): string {
  const lines = content
    .slice(0, 64 * 1024)
    .replaceAll(/"(?:[^"]|"")*"/g, '')
    .split('\n', 20)
    .filter((line) => line.trim() !== '');
  const least = (delimiter: string) => Math.min(...lines.map((line) => line.split(delimiter).length));
  return [',', ';', '\t', '|'].reduce((best, other) => (least(other) > least(best) ? other : best));
}
