import type { FileFormat } from '../domain/step-job.ts';
import type { Connection } from './duckdb.ts';
import { quoted } from './sql.ts';

/** What was seen of a column while it was written, as text by what it is called: `null_count`, `min`, `max`. */
export type WrittenColumns = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface WrittenFile {
  readonly rows: number;
  /** By the column as a quoted identifier; of Parquet alone. */
  readonly columns: WrittenColumns;
}

/** Before a query that is written. */
export const COPY_PREFIX = 'COPY (\n';

/** Writes what a query answers. */
export async function writeFile(
  connection: Connection,
  query: string,
  { file, format = 'parquet' }: { readonly file: string; readonly format?: FileFormat },
): Promise<WrittenFile> {
  const copied = await connection.runAndReadAll(
    `${COPY_PREFIX}${query}\n) TO ${quoted(file)} (${copyOptions[format]})`,
  );
  const [row = []] = copied.getRowsJson();
  if (format !== 'parquet') return { rows: Number(row[0] ?? 0), columns: new Map() };
  const [, rows, , , columns] = row as [string, string, string, string, Entries<Entries<string>> | undefined];
  const seen = columns?.map(({ key, value }) => [key, new Map(value.map((fact) => [fact.key, fact.value]))] as const);
  return { rows: Number(rows), columns: new Map(seen) };
}

/** A map of DuckDB's as JSON. */
type Entries<Value> = readonly { readonly key: string; readonly value: Value }[];

const copyOptions = {
  parquet: 'FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, USE_TMP_FILE false, RETURN_STATS',
  csv: 'FORMAT csv, HEADER true, USE_TMP_FILE false',
  jsonl: 'FORMAT json, USE_TMP_FILE false',
} as const;
