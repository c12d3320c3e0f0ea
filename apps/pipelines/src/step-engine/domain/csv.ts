import type { Column } from './column.ts';

/** How a CSV is to be read; what is empty or null is found out. */
export interface CsvOptions {
  readonly delimiter: string;
  readonly quote: string;
  readonly encoding: 'utf-8' | 'utf-16' | 'latin-1';
  readonly hasHeader: boolean | null;
  readonly decimalSeparator: '.' | ',';
  /** All that the file has to have; empty: whatever there is. */
  readonly columns: readonly Column[];
  readonly maxRejectedRows: number;
}

export const defaultCsvOptions: CsvOptions = {
  delimiter: '',
  quote: '',
  encoding: 'utf-8',
  hasHeader: null,
  decimalSeparator: '.',
  columns: [],
  maxRejectedRows: 0,
};

export type RejectionReason =
  | 'WRONG_TYPE'
  | 'MISSING_COLUMNS'
  | 'TOO_MANY_COLUMNS'
  | 'QUOTES'
  | 'LINE_TOO_LONG'
  | 'ENCODING';

/** A row that could not be read. */
export interface RejectedRow {
  /** From 1. */
  readonly line: number;
  readonly reason: RejectionReason;
  /** Empty where it is none of those that there are. */
  readonly column: string;
  readonly message: string;
  /** As it stands in the file, cut. */
  readonly text: string;
}

/** `count`: all of them, of which `rows` are the first. */
export interface RejectedRows {
  readonly count: number;
  readonly rows: readonly RejectedRow[];
}

/** Undefined where the columns of a file are those that were declared. */
export function schemaMismatch(
  declared: readonly Column[],
  found: readonly string[],
  hasHeader: boolean,
): string | undefined {
  if (!hasHeader)
    return declared.length === found.length
      ? undefined
      : `The file has ${found.length} columns, and ${declared.length} are declared`;
  const names = declared.map(({ name }) => name);
  const missing = names.filter((name) => !found.includes(name));
  const more = found.filter((name) => !names.includes(name));
  const said = [
    ...(missing.length > 0 ? [`The file lacks ${listed(missing)}`] : []),
    ...(more.length > 0 ? [`${listed(more)} of the file ${more.length === 1 ? 'is' : 'are'} not declared`] : []),
  ];
  return said.length > 0 ? said.join('; ') : undefined;
}

const MAX_LISTED = 5;

const listed = (names: readonly string[]): string =>
  [
    ...names.slice(0, MAX_LISTED).map((name) => `"${name}"`),
    ...(names.length > MAX_LISTED ? [`${names.length - MAX_LISTED} more`] : []),
  ].join(', ');

/** What is known of all values of a column that are numbers in decimal digits. */
export interface DecimalDigits {
  /** Whether one is written in another way: `1e5`, `NaN`. */
  readonly areOthers: boolean;
  /** The most before and behind the separator. */
  readonly whole: number;
  readonly scale: number;
  /** The most behind the separator of those that are written with a power of ten, once it is multiplied. */
  readonly scaleOfPowers: number;
}

const MAX_DIGITS = 38;
/** Up to so many, a value takes eight bytes. */
const SHORT_DIGITS = 18;

/** The type that holds all of them exactly; undefined where none does. */
export function decimalType({ areOthers, whole, scale }: Omit<DecimalDigits, 'scaleOfPowers'>): string | undefined {
  if (areOthers || whole + scale > MAX_DIGITS) return undefined;
  return `DECIMAL(${whole + scale <= SHORT_DIGITS ? SHORT_DIGITS : MAX_DIGITS},${scale})`;
}
