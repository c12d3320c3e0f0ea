import { DuckDBTypeId, JsonDuckDBValueConverter, type DuckDBResult, type DuckDBValueConverter } from '@duckdb/node-api';
import type { Cell, Column, StepLimits } from '../domain/step-job.ts';

const wholeNumbers: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
]);

const toCell: DuckDBValueConverter<Cell> = (value, type, converter) => {
  if (typeof value === 'bigint' && wholeNumbers.has(type.typeId)) {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  return (JsonDuckDBValueConverter as DuckDBValueConverter<Cell>)(value, type, converter);
};

export const columnsOf = (result: Pick<DuckDBResult, 'columnCount' | 'columnName' | 'columnType'>): Column[] =>
  Array.from({ length: result.columnCount }, (_, index) => ({
    name: result.columnName(index),
    type: String(result.columnType(index)),
  }));

/** As many as are wanted; what comes after them is not even computed. */
export async function rowsOf(
  result: DuckDBResult,
  { rows: maxRows, outputBytes }: Pick<StepLimits, 'rows' | 'outputBytes'>,
): Promise<{ readonly rows: Cell[][]; readonly isCut: boolean }> {
  const rows: Cell[][] = [];
  let bytes = 0;
  for await (const chunk of result.yieldConvertedRows(toCell)) {
    for (const row of chunk) {
      bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
      if (rows.length === maxRows || bytes > outputBytes) return { rows, isCut: true };
      rows.push(row);
    }
  }
  return { rows, isCut: false };
}
