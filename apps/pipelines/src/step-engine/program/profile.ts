import type { Column, ColumnStatistics } from '../domain/step-job.ts';
import type { Connection } from './duckdb.ts';
import { identifier } from './sql.ts';

/** In characters; enough to know a value by. */
const MAX_VALUE = 200;
/** Of what one statement asks about: each is four aggregates, and counting its distinct values exactly takes two megabytes or more. */
const COLUMNS_AT_ONCE = 10;

/** Up to so many rows distinct values are counted one by one: the approximation is worst where there are few. */
const EXACT_ROWS = 100_000;

/** What is said of columns, some at a time. */
export async function profile(
  connection: Connection,
  table: string,
  columns: readonly Column[],
  rows: number,
): Promise<ColumnStatistics[]> {
  const statistics: ColumnStatistics[] = [];
  const distinctOf = (column: string) =>
    rows > EXACT_ROWS ? `approx_count_distinct(${column})` : `count(DISTINCT ${column})`;
  for (let from = 0; from < columns.length; from += COLUMNS_AT_ONCE) {
    const some = columns.slice(from, from + COLUMNS_AT_ONCE);
    const aggregates = some.flatMap(({ name, type }) => {
      const column = identifier(name);
      const [min, max] = ['min', 'max'].map((which) =>
        isOrdered(type) ? `left(${which}(${column})::VARCHAR, ${MAX_VALUE})` : 'NULL::VARCHAR',
      );
      return [`count(*) - count(${column})`, distinctOf(column), min, max];
    });
    const [values = []] = (
      await connection.runAndReadAll(`SELECT ${aggregates.join(', ')} FROM ${table}`)
    ).getRowsJson();
    some.forEach(({ name }, index) => {
      const [nulls, distinct, min, max] = values.slice(index * 4, index * 4 + 4) as (string | null)[];
      const there = rows - Number(nulls);
      // The approximation knows of no bound.
      const counted = Math.min(Number(distinct), there);
      statistics.push({ name, nulls: Number(nulls), distinct: counted, min: min ?? null, max: max ?? null });
    });
  }
  return statistics;
}

/** Lists, structures and bytes have no smallest that says something. */
const isOrdered = (type: string): boolean =>
  /^[A-Z_ ]+(\(\d+,\s?\d+\))?$/.test(type) && type !== 'BLOB' && type !== 'JSON';
