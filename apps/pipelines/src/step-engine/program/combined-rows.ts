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
  await requireWhole(connection, made, { columns, madeColumns });
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

const WHOLE = /^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/;
const MAY_HAVE_FRACTIONS = /^(?:FLOAT|DOUBLE|DECIMAL\(.*\)|VARCHAR)$/;
const MAY_HAVE_TIMES = /^TIMESTAMP/;

/** A cast would round off fractions and times of day without a word. */
async function requireWhole(
  connection: Connection,
  made: string,
  { columns, madeColumns }: { readonly columns: readonly Column[]; readonly madeColumns: readonly Column[] },
): Promise<void> {
  const types = new Map(madeColumns.map((column) => [folded(column), column.type]));
  const lossy = columns.flatMap((column) => {
    const [name, type] = [identifier(column.name), types.get(folded(column)) ?? ''];
    if (WHOLE.test(column.type) && MAY_HAVE_FRACTIONS.test(type)) {
      const number = `TRY_CAST(${name} AS DOUBLE)`;
      return { column, type, isCut: `${number} <> trunc(${number})` };
    }
    if (column.type === 'DATE' && MAY_HAVE_TIMES.test(type))
      return { column, type, isCut: `${name} <> date_trunc('day', ${name})` };
    return [];
  });
  if (lossy.length === 0) return;
  const found = await connection.runAndReadAll(
    `SELECT ${lossy.map(({ isCut }) => `coalesce(bool_or(${isCut}), false)`).join(', ')} FROM ${made}`,
  );
  const cut = lossy[found.getRowsJson()[0]?.indexOf(true) ?? -1];
  if (!cut) return;
  const { column, type } = cut;
  throw new StepFailure('conversion', `Values of ${column.name}, a ${type} here, are no ${column.type} of the dataset`);
}

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
