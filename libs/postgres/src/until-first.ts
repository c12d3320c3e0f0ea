import type { Database } from './database.ts';

export interface FirstRow {
  /** With an index by that column of the rows that have it. */
  readonly table: string;
  readonly column: string;
  /** Which open the rows of all organisations. */
  readonly settings: Readonly<Record<string, string>>;
}

/** How many milliseconds after `at` the first row is due; below 0 where it has been due before, undefined where there is none. */
export async function untilFirst(
  database: Database,
  { table, column, settings }: FirstRow,
  at: Date,
): Promise<number | undefined> {
  const statement = {
    name: `first-of-${table}-${column}`,
    // A minimum could be looked for in any index that has the column.
    text: `SELECT (extract(epoch FROM ${column} - $1::timestamptz) * 1000)::float8 AS ms
           FROM ${table} WHERE ${column} IS NOT NULL ORDER BY ${column} LIMIT 1`,
  };
  const [row] = await database.systemStatement<{ ms: number }>(statement, [at], settings);
  return row?.ms;
}
