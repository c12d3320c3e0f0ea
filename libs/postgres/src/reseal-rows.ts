import { parseExactJson, storableJson } from '@platform-backend/core';
import type { Database, Work } from './database.ts';

export interface SealedTable<Row extends object> {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: readonly (keyof Row & string)[];
  /** All columns that are read. */
  readonly columns: readonly (keyof Row & string)[];
  /** Those of them in which something is sealed. */
  readonly sealed: readonly (keyof Row & string)[];
  /** The row with its secrets sealed anew; the same object where there is nothing to do. */
  readonly reseal: (row: Row) => Row;
}

/** Opens the rows of all organisations to a transaction that seals them anew; a policy of the table says so. */
const RESEALING = { 'app.secrets': 'reseal' };
/** So many rows are read, and those among them that change are written, at a time. */
const ROWS_AT_ONCE = 100;

/**
 * Seals the secrets in a table anew, in the order of its key: each batch counts by itself, and whoever begins again after a death finds
 * the rest. A row that somebody changes meanwhile stays as they leave it.
 */
export async function resealRows<Row extends object>(database: Database, sealed: SealedTable<Row>): Promise<void> {
  let last: Row | undefined;
  do {
    const rows = await database.system(RESEALING, next(sealed, last), { readOnly: true });
    const changes = rows.map((before) => ({ before, after: sealed.reseal(before) }));
    const changed = changes.filter(({ before, after }) => after !== before);
    if (changed.length > 0) await database.system(RESEALING, save(sealed, changed));
    last = rows.length === ROWS_AT_ONCE ? rows.at(-1) : undefined;
  } while (last);
}

const next =
  <Row extends object>({ table, key, columns, sealed }: SealedTable<Row>, last: Row | undefined): Work<Row[]> =>
  async (trx) => {
    const rows = trx(table)
      .orderBy([...key])
      .limit(ROWS_AT_ONCE);
    if (last) {
      const [names, values] = [key.map(() => '??').join(', '), key.map(() => '?').join(', ')];
      void rows.whereRaw(`(${names}) > (${values})`, [...key, ...key.map((name) => String(last[name]))]);
    }
    // They are compared with what is kept and written again, numbers as they are: JavaScript would change some of them.
    const asText = sealed.map((name) => trx.raw('to_jsonb(??)::text AS ??', [name, name]));
    const plain = columns.filter((name) => !sealed.includes(name));
    const found = (await rows.select<object[]>([...plain, ...asText])) as Record<string, unknown>[];
    return found.map((row) => ({ ...row, ...exactly(row, sealed) })) as Row[];
  };

const exactly = (row: Readonly<Record<string, unknown>>, sealed: readonly string[]) =>
  Object.fromEntries(
    sealed.map((name) => [name, typeof row[name] === 'string' ? parseExactJson(row[name]) : row[name]]),
  );

const save =
  <Row extends object>(
    { table, key, sealed }: SealedTable<Row>,
    changed: readonly { readonly before: Row; readonly after: Row }[],
  ): Work<unknown> =>
  (trx) => {
    const named = (alias: string, names: readonly string[]) => names.map((name) => `${alias}."${name}"`).join(', ');
    return trx.raw(
      `UPDATE ?? AS kept SET ${sealed.map((name) => `"${name}" = later."${name}"`).join(', ')}
       FROM jsonb_populate_recordset(NULL::??, ?::jsonb) AS earlier
       JOIN jsonb_populate_recordset(NULL::??, ?::jsonb) AS later ON (${named('later', key)}) = (${named('earlier', key)})
       WHERE (${named('kept', key)}) = (${named('earlier', key)})
         AND ROW(${named('kept', sealed)}) IS NOT DISTINCT FROM ROW(${named('earlier', sealed)})`,
      [
        ...[table, table, storableJson(changed.map(({ before }) => before))],
        ...[table, storableJson(changed.map(({ after }) => after))],
      ],
    );
  };
