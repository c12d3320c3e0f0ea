import type { Column, ColumnStatistics } from '../domain/step-job.ts';
import type { Connection } from './duckdb.ts';
import { identifier } from './sql.ts';
import type { WrittenColumns } from './write-file.ts';

/** In characters; enough to know a value by. */
const MAX_VALUE = 200;
/** Of what one statement asks about: each is up to four aggregates, and counting its distinct values exactly takes two megabytes or more. */
const COLUMNS_AT_ONCE = 10;

/** Up to so many rows distinct values are counted one by one: the approximation is worst where there are few. */
const EXACT_ROWS = 100_000;

/** What is said of columns, some at a time: as far as who wrote them has not seen it, by reading them again. */
export async function profile(
  connection: Connection,
  table: string,
  columns: readonly Column[],
  { rows, written }: { readonly rows: number; readonly written: WrittenColumns },
): Promise<ColumnStatistics[]> {
  const statistics: ColumnStatistics[] = [];
  const distinctOf = (column: string) =>
    rows > EXACT_ROWS ? `approx_count_distinct(${column})` : `count(DISTINCT ${column})`;
  for (let from = 0; from < columns.length; from += COLUMNS_AT_ONCE) {
    const some = columns.slice(from, from + COLUMNS_AT_ONCE).map((column) => {
      const name = identifier(column.name);
      const known = seenOf(column, written);
      return { ...column, known, asked: [distinctOf(name), ...(known ? [] : bounds(name, column))] };
    });
    const aggregates = some.flatMap(({ asked }) => asked);
    const [row = []] = (await connection.runAndReadAll(`SELECT ${aggregates.join(', ')} FROM ${table}`)).getRowsJson();
    const values = [...row] as (string | null)[];
    for (const { name, known, asked } of some) {
      const [distinct, ...found] = values.splice(0, asked.length);
      const { nulls, min, max } = known ?? { nulls: Number(found[0]), min: found[1] ?? null, max: found[2] ?? null };
      // The approximation knows of no bound.
      statistics.push({ name, nulls, distinct: Math.min(Number(distinct), rows - nulls), min, max });
    }
  }
  return statistics;
}

const bounds = (column: string, { type }: Column): string[] => [
  `count(*) - count(${column})`,
  ...['min', 'max'].map((which) =>
    isOrdered(type) ? `left(${which}(${column})::VARCHAR, ${MAX_VALUE})` : 'NULL::VARCHAR',
  ),
];

/** Lists, structures and bytes have no smallest that says something. */
const isOrdered = (type: string): boolean =>
  /^[A-Z_ ]+(\(\d+,\s?\d+\))?$/.test(type) && type !== 'BLOB' && type !== 'JSON';

/** Their bounds stand in what was written as anybody reads them. Those of other types are not there, or of no use where something is no number. */
const SEEN = /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT)|DECIMAL\(\d+,\s?\d+\)|DATE|TIMESTAMP|VARCHAR)$/;
/** Text from here on may stand there cut, and what is cut is a bound and no value: 256 bytes, less those of its last character. */
const MAY_BE_CUT_BYTES = 250;

function seenOf(
  { name, type }: Column,
  written: WrittenColumns,
): Omit<ColumnStatistics, 'name' | 'distinct'> | undefined {
  const seen = written.get(identifier(name));
  const nulls = Number(seen?.get('null_count') ?? NaN);
  if (!seen || Number.isNaN(nulls) || !SEEN.test(type)) return undefined;
  const [min, max] = [seen.get('min'), seen.get('max')];
  // Where it has nothing, or what it has is too long to stand there.
  if (min === undefined || max === undefined) return undefined;
  if ([min, max].some((value) => Buffer.byteLength(value) >= MAY_BE_CUT_BYTES)) return undefined;
  return { nulls, min: cut(min), max: cut(max) };
}

/** In code points, as `left` counts them. */
const cut = (value: string): string =>
  value.length <= MAX_VALUE ? value : Array.from(value).slice(0, MAX_VALUE).join('');
