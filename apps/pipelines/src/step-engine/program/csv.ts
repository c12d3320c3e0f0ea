import type { DuckDBConnection as Connection } from '@duckdb/node-api';
import { closeSync, openSync, readSync } from 'node:fs';
import {
  decimalType,
  defaultCsvOptions,
  schemaMismatch,
  type CsvOptions,
  type RejectedRows,
  type RejectionReason,
} from '../domain/csv.ts';
import { failedReport, type Column, type StepReport } from '../domain/step-job.ts';
import { StepFailure } from './failure.ts';
import { identifier, quoted } from './sql.ts';

/** What is wrong with rows is counted up to here: a row may be wrong in many of its columns. */
const MAX_ERRORS = 100_000;
/** That are shown. */
const MAX_REJECTED = 1_000;
/** Of one of them, in characters. */
const MAX_TEXT = 500;

const FIRST_BYTES = 64 * 1024;

/** Refuses a file in which there is nothing but what separates lines. */
export function requireContent(path: string): void {
  const bytes = Buffer.alloc(FIRST_BYTES);
  const file = openSync(path, 'r');
  try {
    const first = bytes.subarray(0, readSync(file, bytes, 0, FIRST_BYTES, 0));
    // In UTF-16 every other byte is a zero.
    const isBlank = /^[\s\0\ufeff\u00ff\u00fe\u00ef\u00bb\u00bf]*$/.test(first.toString('latin1'));
    if (isBlank && first.length < FIRST_BYTES) throw new StepFailure('empty_file', 'The file is empty');
  } finally {
    closeSync(file);
  }
}

/** What DuckDB has found out of a file. */
interface Sniffed {
  readonly Delimiter: string;
  readonly Quote: string;
  readonly HasHeader: boolean;
  readonly Columns: readonly Column[];
  readonly DateFormat: string | null;
  readonly TimestampFormat: string | null;
}

/**
 * The rows of a CSV, as a table function of a query. All rows decide about the types: one odd value near the end makes a
 * column text and not a failure. Rows that do not have the form of the others are rejected when it is read.
 */
export async function readCsv(connection: Connection, path: string, options: CsvOptions): Promise<string> {
  const { encoding, decimalSeparator } = options;
  const found = await sniff(connection, path, options);
  const quote = found.Quote === NONE ? '"' : found.Quote;
  const dialect = [
    quoted(path),
    'auto_detect = false',
    `delim = ${quoted(found.Delimiter)}`,
    ...[`quote = ${quoted(quote)}`, `escape = ${quoted(quote)}`, "comment = ''"],
    ...[`encoding = ${quoted(encoding)}`, `header = ${String(found.HasHeader)}`],
  ];
  const columns = await typed(connection, dialect, options, found);
  const formats = [
    ...(found.DateFormat === null ? [] : [`dateformat = ${quoted(found.DateFormat)}`]),
    ...(found.TimestampFormat === null ? [] : [`timestampformat = ${quoted(found.TimestampFormat)}`]),
  ];
  return readWith(dialect, columns, [
    ...formats,
    `decimal_separator = ${quoted(decimalSeparator)}`,
    ...['store_rejects = true', `rejects_limit = ${MAX_ERRORS}`],
  ]);
}

/** How the sniffer says that there is none. */
const NONE = '(empty)';

/** Tolerant of rows that are wrong, so that these do not decide what all others are taken for. */
async function sniff(connection: Connection, path: string, options: CsvOptions): Promise<Sniffed> {
  const { delimiter, quote, encoding, hasHeader, decimalSeparator } = options;
  const parameters = [
    quoted(path),
    ...['sample_size = -1', 'ignore_errors = true', 'strict_mode = false', 'skip = 0', "comment = ''"],
    ...[`encoding = ${quoted(encoding)}`, `decimal_separator = ${quoted(decimalSeparator)}`],
    ...(delimiter === '' ? [] : [`delim = ${quoted(delimiter)}`]),
    ...(quote === '' ? [] : [`quote = ${quoted(quote)}`, `escape = ${quoted(quote)}`]),
    ...(hasHeader === null ? [] : [`header = ${String(hasHeader)}`]),
  ];
  const read = await connection.runAndReadAll(`FROM sniff_csv(${parameters.join(', ')})`);
  const [found] = read.getRowObjectsJson();
  if (!found) throw new StepFailure('invalid_data', 'The file could not be read as CSV');
  return found as unknown as Sniffed;
}

function readWith(dialect: readonly string[], columns: readonly Column[], more: readonly string[]): string {
  const types = columns.map(({ name, type }) => `${quoted(name)}: ${quoted(type)}`).join(', ');
  return `read_csv(${[...dialect, `columns = {${types}}`, ...more].join(', ')})`;
}

/** As declared, or as found out, with decimals where the sniffer knows approximate numbers alone. */
async function typed(
  connection: Connection,
  dialect: readonly string[],
  { columns: declared, decimalSeparator }: CsvOptions,
  { Columns: found, HasHeader }: Sniffed,
): Promise<readonly Column[]> {
  const names = found.map(({ name }) => name);
  const mismatch = declared.length > 0 ? schemaMismatch(declared, names, HasHeader) : undefined;
  if (mismatch !== undefined) throw new StepFailure('schema_mismatch', mismatch);
  const columns = found.map((column, index) => {
    if (declared.length === 0) return column;
    return (HasHeader ? declared.find(({ name }) => name === column.name) : declared[index]) ?? column;
  });
  const measured = columns.filter(({ type }) => (declared.length > 0 ? type.startsWith('DECIMAL') : type === 'DOUBLE'));
  if (measured.length === 0) return columns;
  const texts = readWith(
    dialect,
    columns.map(({ name }) => ({ name, type: 'VARCHAR' })),
    ['ignore_errors = true'],
  );
  const digits = await digitsOf(connection, texts, measured, decimalSeparator);
  return columns.map((column) => {
    const its = digits.get(column.name);
    if (!its) return column;
    if (declared.length === 0) return { ...column, type: decimalType(its) ?? column.type };
    const scale = Number(/,(\d+)\)/.exec(column.type)?.[1] ?? 0);
    const decimals = Math.max(its.scale, its.scaleOfPowers);
    if (decimals > scale)
      throw new StepFailure(
        'conversion',
        `Column "${column.name}" has numbers with ${decimals} decimals, which ${column.type} would round`,
      );
    return column;
  });
}

/** One way through the texts of these columns. */
async function digitsOf(
  connection: Connection,
  table: string,
  columns: readonly Column[],
  decimalSeparator: CsvOptions['decimalSeparator'],
) {
  const aggregates = columns.flatMap(({ name }) => {
    const text = `trim(${identifier(name)})`;
    const separator = quoted(decimalSeparator);
    const signs = `translate(${text}, '0123456789', '')`;
    const plain = ['', '-', '+'].flatMap((sign) => [sign, `${sign}${decimalSeparator}`]).map(quoted);
    const scaleOf = (digits: string): string =>
      `CASE WHEN strpos(${digits}, ${separator}) = 0 THEN 0 ELSE length(${digits}) - strpos(${digits}, ${separator}) END`;
    const scale = scaleOf(text);
    const isPower = `regexp_full_match(${text}, '[-+]?[0-9]*${decimalSeparator === '.' ? String.raw`\.` : ','}?[0-9]*[eE][-+]?[0-9]+')`;
    const [mantissa, exponent] = [1, 2].map((part) => `split_part(lower(${text}), 'e', ${part})`) as [string, string];
    // Beyond what an INTEGER holds there is no number that a decimal holds.
    const scaleOfPower = `${scaleOf(mantissa)} - coalesce(try_cast(${exponent} AS INTEGER), 0)`;
    const whole = `length(${text}) - length(${signs}) - ${scale}`;
    const isPlain = `${signs} IN (${plain.join(', ')})`;
    return [
      `count(*) FILTER (NOT ${isPlain})`,
      `coalesce(max(${whole}) FILTER (${isPlain}), 0)`,
      `coalesce(max(${scale}) FILTER (${isPlain}), 0)`,
      `greatest(coalesce(max(${scaleOfPower}) FILTER (${isPower}), 0), 0)`,
    ];
  });
  const read = await connection.runAndReadAll(`SELECT ${aggregates.join(', ')} FROM ${table}`);
  const values = (read.getRowsJson()[0] ?? []).map(Number);
  return new Map(
    columns.map(({ name }, index) => {
      const [others = 0, whole = 0, scale = 0, scaleOfPowers = 0] = values.slice(index * 4, index * 4 + 4);
      return [name, { areOthers: others > 0, whole, scale, scaleOfPowers }] as const;
    }),
  );
}

const reasons: Readonly<Record<string, RejectionReason>> = {
  CAST: 'WRONG_TYPE',
  'MISSING COLUMNS': 'MISSING_COLUMNS',
  'TOO MANY COLUMNS': 'TOO_MANY_COLUMNS',
  'UNQUOTED VALUE': 'QUOTES',
  'LINE SIZE OVER MAXIMUM': 'LINE_TOO_LONG',
  'INVALID ENCODING': 'ENCODING',
};

/** What was left out by the statement before. */
export async function rejectedRows(connection: Connection): Promise<RejectedRows> {
  const counted = await connection.runAndReadAll('SELECT count(DISTINCT line), count(*) FROM reject_errors');
  const [lines = 0, errors = 0] = (counted.getRowsJson()[0] ?? []).map(Number);
  if (errors >= MAX_ERRORS)
    throw new StepFailure('rejected_rows', `More than ${lines} rows could not be read: is it a CSV of this form?`);
  const read = await connection.runAndReadAll(
    `SELECT line, error_type::VARCHAR, coalesce(column_name, ''), left(error_message, ${MAX_TEXT}), left(csv_line, ${MAX_TEXT})
     FROM reject_errors QUALIFY row_number() OVER (PARTITION BY line ORDER BY column_idx) = 1
     ORDER BY line LIMIT ${MAX_REJECTED}`,
  );
  const rows = (read.getRowsJson() as string[][]).map(([line, type = '', column = '', message = '', text = '']) => ({
    line: Number(line),
    reason: reasons[type] ?? 'WRONG_TYPE',
    column,
    message: message.replace(WRAPPING, '').trim(),
    text: text.replace(/^[\r\n]+|[\r\n]+$/g, ''),
  }));
  return { count: lines, rows };
}

/** The column is said beside it. */
const WRAPPING = /^Error when converting column "(?:[^"]|"")*"\. /;

export function tooManyRejected(
  { count, rows: [first] }: RejectedRows,
  { maxRejectedRows }: CsvOptions = defaultCsvOptions,
): StepReport | undefined {
  if (count <= maxRejectedRows || !first) return undefined;
  const rows = count === 1 ? '1 row' : `${count} rows`;
  return failedReport('rejected_rows', `${rows} could not be read; the first is line ${first.line}: ${first.message}`);
}
