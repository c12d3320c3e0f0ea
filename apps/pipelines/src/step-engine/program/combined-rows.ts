import type { Column } from '../domain/step-job.ts';
import type { Connection } from './duckdb.ts';
import { StepFailure } from './failure.ts';
import { columnsOf } from './rows.ts';
import { identifier, quoted } from './sql.ts';

interface Rows {
  /** Parquet. */
  readonly newRows: string;
  /** Parquet; null: none. */
  readonly kept: string | null;
  /** Null: new rows take nothing's place. */
  readonly keys: readonly string[] | null;
}

/** The query for new rows behind those that stay, in the columns and types of the latter. It fails where that cannot be. */
export async function combinedRows(connection: Connection, { newRows, kept, keys }: Rows): Promise<string> {
  const [made, present] = [`read_parquet(${quoted(newRows)})`, kept && `read_parquet(${quoted(kept)})`];
  const madeColumns = await columnsIn(connection, made);
  const columns = present === null ? madeColumns : await columnsIn(connection, present);
  requireSame(columns, madeColumns);
  const cast = columns.map(({ name, type }) => `CAST(${identifier(name)} AS ${type}) AS ${identifier(name)}`);
  const added = `SELECT ${cast.join(', ')} FROM ${made}`;
  if (keys) await requireDistinct(connection, added, keysAmong(columns, keys));
  if (present === null) return added;
  const same = keys && keysAmong(columns, keys).map((key) => `added.${key} IS NOT DISTINCT FROM present.${key}`);
  const replaced = same ? ` WHERE NOT EXISTS (SELECT 1 FROM added WHERE ${same.join(' AND ')})` : '';
  return `WITH added AS (${added}) SELECT present.* FROM ${present} AS present${replaced} UNION ALL SELECT * FROM added`;
}

const columnsIn = async (connection: Connection, table: string): Promise<Column[]> =>
  columnsOf(await connection.prepare(`SELECT * FROM ${table}`));

const folded = ({ name }: Column): string => name.toLowerCase();

function requireSame(columns: readonly Column[], made: readonly Column[]): void {
  const [there, here] = [new Set(columns.map(folded)), new Set(made.map(folded))];
  const missing = columns.filter((column) => !here.has(folded(column)));
  const other = made.filter((column) => !there.has(folded(column)));
  if (missing.length + other.length === 0) return;
  const named = (what: string, some: readonly Column[]): string[] =>
    some.length === 0
      ? []
      : [
          `${what} ${some
            .map(({ name }) => name)
            .slice(0, MAX_NAMED)
            .join(', ')}`,
        ];
  const differences = [...named('it lacks', missing), ...named('the dataset does not have', other)].join('; ');
  throw new StepFailure('columns_differ', `The result has other columns than the dataset: ${differences}`);
}

const MAX_NAMED = 10;

/** As identifiers. */
const keysAmong = (columns: readonly Column[], keys: readonly string[]): readonly string[] =>
  keys.map((key) => {
    const column = columns.find((one) => folded(one) === key.toLowerCase());
    if (!column) throw new StepFailure('unknown_column', `There is no column ${key} to merge by`);
    return identifier(column.name);
  });

async function requireDistinct(connection: Connection, added: string, keys: readonly string[]): Promise<void> {
  const list = keys.join(', ');
  const repeated = await connection.runAndReadAll(
    `SELECT 1 FROM (${added}) GROUP BY ${list} HAVING count(*) > 1 LIMIT 1`,
  );
  if (repeated.currentRowCount > 0)
    throw new StepFailure('duplicate_key', `Two rows of the result have the same values in ${list}`);
}
