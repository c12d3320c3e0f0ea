import type { Column } from '../../step-engine/domain/column.ts';
import { decimalType, type DecimalDigits } from '../../step-engine/domain/csv.ts';

/** A column as PostgreSQL describes it. */
export interface PostgresqlColumn {
  readonly name: string;
  readonly dataTypeID: number;
  readonly dataTypeModifier: number;
}

const NUMERIC = 1700;
const MAX_DIGITS = 38;

/** By their object ids, which no server gives to others. What is not among them is text, as PostgreSQL writes it. */
const TYPES: Readonly<Record<number, string>> = {
  16: 'BOOLEAN',
  20: 'BIGINT',
  21: 'SMALLINT',
  23: 'INTEGER',
  26: 'BIGINT',
  700: 'FLOAT',
  701: 'DOUBLE',
  1082: 'DATE',
  1083: 'TIME',
  1114: 'TIMESTAMP',
  1184: 'TIMESTAMPTZ',
  2950: 'UUID',
};

/** Null: it depends on the values. */
function typeOf({ dataTypeID, dataTypeModifier }: PostgresqlColumn): string | null {
  if (dataTypeID !== NUMERIC) return TYPES[dataTypeID] ?? 'VARCHAR';
  // Precision and scale, four more than they are; of a plain `numeric` there are none. A scale may be below zero.
  const modifier = dataTypeModifier - 4;
  const [precision, scale] = [(modifier >> 16) & 0xffff, modifier & 0x7ff];
  return modifier >= 0 && precision <= MAX_DIGITS && scale <= precision ? `DECIMAL(${precision},${scale})` : null;
}

/**
 * What the columns of a query are. Numbers of any size have the decimal that holds all that have come, and `DOUBLE` where none does; what a
 * declared decimal cannot hold, `NaN` and infinities, makes a column `DOUBLE` as well.
 */
export function columnTypes(columns: readonly PostgresqlColumn[]) {
  const declared = columns.map(typeOf);
  const measured = columns.flatMap(({ dataTypeID }, index) => (dataTypeID === NUMERIC ? [index] : []));
  const digits = new Map<number, Digits>(measured.map((index) => [index, { areOthers: false, whole: 0, scale: 0 }]));
  return {
    /** Looks at a row, as text. */
    see(row: readonly (string | null)[]): void {
      for (const index of measured) {
        const value = row[index];
        if (typeof value === 'string') digits.set(index, widened(digits.get(index), value));
      }
    },
    types: (): Column[] =>
      columns.map(({ name }, index) => {
        const seen = digits.get(index);
        if (!seen) return { name, type: declared[index] ?? 'VARCHAR' };
        if (seen.areOthers) return { name, type: 'DOUBLE' };
        return { name, type: declared[index] ?? decimalType(seen) ?? 'DOUBLE' };
      }),
  };
}

type Digits = Omit<DecimalDigits, 'scaleOfPowers'>;

function widened(before: Digits | undefined, value: string): Digits {
  const { areOthers, whole, scale } = before ?? { areOthers: false, whole: 0, scale: 0 };
  const [, integer, fraction = ''] = /^-?(\d+)(?:\.(\d+))?$/.exec(value) ?? [];
  if (integer === undefined) return { areOthers: true, whole, scale };
  return { areOthers, whole: Math.max(whole, integer.length), scale: Math.max(scale, fraction.length) };
}
