import { StatementType, type DuckDBPreparedStatement } from '@duckdb/node-api';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  emptyReport,
  failedReport,
  type Column,
  type DescribedQuery,
  type KeptRows,
  type QueryPlan,
  type StepJob,
  type StepOutput,
  type StepReport,
  type WrittenOutput,
} from '../domain/step-job.ts';
import { combinedRows } from './combined-rows.ts';
import { rejectedRows, tooManyRejected } from './csv.ts';
import { emptyTable, spillFolder, type Connection } from './duckdb.ts';
import { explain } from './explain.ts';
import { failureOf, notASelect, reportOf, StepFailure } from './failure.ts';
import { profile } from './profile.ts';
import { columnsOf, rowsOf } from './rows.ts';
import { identifier, quoted } from './sql.ts';
import { COPY_PREFIX, writeFile, type WrittenFile } from './write-file.ts';

/** A table has no more columns than this. */
const MAX_COLUMNS = 2000;
const MAX_COLUMN_NAME = 255;
const MAX_COLUMN_TYPE = 2000;

/** Of the rows that a check has found. */
const FAILED_ROWS = 20;
const FAILED_BYTES = 64 * 1024;

const WATCH_EVERY_MS = 50;

interface JobContext {
  readonly folder: string;
  /** Gives the engine the tables of the job, and takes everything else away. */
  readonly prepare: () => Promise<void>;
  readonly log: (line: string) => void;
}

/** Does one job in its folder. It never throws: whatever happens is told. */
export async function runJob(
  connection: Connection,
  job: StepJob,
  { folder, prepare, log }: JobContext,
): Promise<StepReport> {
  const query = withoutEnd(job.query) || wholeInput(job);
  let started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  try {
    mkdirSync(spillFolder(folder), { recursive: true });
    await prepare();
    if (job.described) return { ...emptyReport, plans: await describe(connection, job.described, folder) };
    const { columns, statement } = await plan(connection, query, folder);
    started = performance.now();
    const report = await executeStatements(connection, { job, query, folder, columns, statement, log });
    return { ...report, columns, seconds: seconds() };
  } catch (error) {
    return { ...reportOf(failureOf(error, { query, folder })), seconds: seconds() };
  }
}

/** What follows it in a statement of ours would be a second one otherwise. */
const withoutEnd = (query: string): string => query.replace(/[\s;]+$/, '');

const wholeInput = ({ inputs: [input] }: StepJob): string => (input ? `SELECT * FROM ${identifier(input.name)}` : '');

/** Nothing but one statement that selects, whose result has columns that can be kept. */
async function plan(
  connection: Connection,
  query: string,
  folder: string,
): Promise<{ readonly columns: Column[]; readonly statement: DuckDBPreparedStatement }> {
  if (query === '') throw new StepFailure('syntax', 'There is no query');
  try {
    const statements = await connection.extractStatements(query);
    if (statements.count !== 1) throw new StepFailure('not_one_statement', 'A query is exactly one statement');
    const statement = await statements.prepare(0);
    if (statement.statementType !== StatementType.SELECT) throw notASelect();
    if (statement.parameterCount > 0) throw new StepFailure('parameters', 'A query has no parameters');
    const columns = columnsOf(statement);
    requireKept(columns);
    return { columns, statement };
  } catch (error) {
    const failure = failureOf(error, { query, folder });
    // DROP and INSERT fail for want of a table that they could change, which says nothing of what is wrong with them.
    const isRefused = !(error instanceof StepFailure) && failure.code !== 'syntax';
    throw isRefused && !(await isSelect(connection, query)) ? notASelect() : failure;
  }
}

/** By its grammar alone: nothing that it names has to be there. */
async function isSelect(connection: Connection, query: string): Promise<boolean> {
  const parsed = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [query]);
  const { error } = JSON.parse(parsed.getRowsJson()[0]?.[0] as string) as { readonly error: boolean };
  return !error;
}

/** Plans queries one after the other, each beside its own tables alone: these are taken back before the next. */
async function describe(
  connection: Connection,
  queries: readonly DescribedQuery[],
  folder: string,
): Promise<QueryPlan[]> {
  const plans: QueryPlan[] = [];
  for (const { query: written, tables } of queries) {
    const query = withoutEnd(written);
    const statements = tables.flatMap((table) => {
      const columns = 'columns' in table ? table.columns : plans[table.madeBy]?.columns;
      return columns && columns.length > 0 ? [emptyTable({ name: table.name, columns })] : [];
    });
    await connection.run('BEGIN');
    try {
      if (statements.length > 0) await connection.run(statements.join(';\n'));
      const { outcome, message, code } = emptyReport;
      const { columns } = await plan(connection, query, folder);
      plans.push({ outcome, message, code, columns });
    } catch (error) {
      const { outcome, message, code, position, columns } = reportOf(failureOf(error, { query, folder }));
      plans.push({ outcome, message, code, columns, ...(position && { position }) });
    }
    await connection.run('ROLLBACK');
  }
  return plans;
}

function requireKept(columns: readonly Column[]): void {
  if (columns.length > MAX_COLUMNS)
    throw new StepFailure('too_many_columns', `A table has at most ${MAX_COLUMNS} columns`);
  const long = columns.find(({ name, type }) => name.length > MAX_COLUMN_NAME || type.length > MAX_COLUMN_TYPE);
  if (long)
    throw new StepFailure(
      'column_too_long',
      `The name or type of a column is too long: ${long.name.slice(0, 50).toWellFormed()}`,
    );
}

interface Planned {
  readonly job: StepJob;
  readonly query: string;
  readonly folder: string;
  readonly columns: readonly Column[];
  readonly statement: DuckDBPreparedStatement;
  readonly log: (line: string) => void;
}

async function executeStatements(connection: Connection, planned: Planned): Promise<StepReport> {
  const { job } = planned;
  if (job.kind === 'QUERY' && job.explain)
    return { ...emptyReport, ...(await explain(connection, planned, job.explain)) };
  if (job.kind === 'QUERY') return { ...emptyReport, ...(await select(planned, job.limits)) };
  if (job.kind === 'CHECK') {
    const { rows, isCut } = await select(planned, { rows: FAILED_ROWS, outputBytes: FAILED_BYTES });
    if (rows.length > 0 || isCut) return failedCheck(rows, isCut);
  }
  const report: StepReport = { ...emptyReport, output: job.output && (await write(connection, planned, job.output)) };
  const csv = job.inputs.find((input) => 'file' in input && input.format === 'csv');
  if (!csv) return report;
  const rejected = await rejectedRows(connection);
  const failure = tooManyRejected(rejected, 'csv' in csv ? csv.csv : undefined);
  return failure ? { ...failure, rejected } : { ...report, rejected };
}

function failedCheck(rows: StepReport['rows'], isCut: boolean): StepReport {
  const count = `${isCut ? 'More than ' : ''}${rows.length} ${rows.length === 1 && !isCut ? 'row' : 'rows'}`;
  return { ...failedReport('check_failed', `${count} failed the check`), rows, isCut };
}

async function select(
  { statement, query, folder }: Planned,
  limits: { readonly rows: number; readonly outputBytes: number },
) {
  try {
    return await rowsOf(await statement.stream(), limits);
  } catch (error) {
    throw failureOf(error, { query, folder });
  }
}

async function write(connection: Connection, planned: Planned, output: StepOutput): Promise<WrittenOutput> {
  const { query, folder, job, log } = planned;
  const file = join(folder, output.file);
  const format = output.format ?? 'parquet';
  const columns = planned.columns.map(({ name, type }) => ({ name, type: keptType(type) }));
  if (format === 'parquet') requireDistinctNames(columns);
  const { outputRows } = job.limits;
  // Beside rows that stay they are kept apart first.
  const { onto } = output;
  const newRows = onto ? join(spillFolder(folder), 'new.parquet') : file;
  const limit = watchSize(connection, newRows, job.limits.outputBytes);
  // One more than may be: nobody waits for the rest.
  const [before, end] = outputRows === undefined ? ['', ''] : ['SELECT * FROM (\n', `\n) LIMIT ${outputRows + 1}`];
  let written: WrittenFile;
  try {
    written = await writeFile(connection, `${before}${query}${end}`, { file: newRows, format });
  } catch (error) {
    const wrapped = COPY_PREFIX.length + before.length;
    throw limit.isPassed() ? tooLarge(job) : failureOf(error, { query, wrapped, folder });
  } finally {
    limit.end();
  }
  const { rows: added } = written;
  if (outputRows !== undefined && added > outputRows) throw tooManyRows(outputRows);
  if (onto) written = await combine(connection, { newRows, file, onto }, planned);
  const { rows } = written;
  const { size: bytes } = statSync(file);
  if (bytes > job.limits.outputBytes) throw tooLarge(job);
  if (format !== 'parquet') return { rows: 0, bytes, columns, statistics: [] };
  const table = `read_parquet(${quoted(file)})`;
  const described = await connection.prepare(`SELECT * FROM ${table}`);
  const kept = columnsOf(described);
  log(
    onto
      ? `${onto.keys ? 'merged' : 'appended'} ${added} rows: ${rows} rows in ${bytes} bytes in ${output.name}`
      : `wrote ${rows} rows in ${bytes} bytes to ${output.name}`,
  );
  return {
    rows,
    bytes,
    columns: kept,
    statistics: await profile(connection, table, kept, { rows, written: written.columns }),
  };
}

/** New rows beside those that stay. */
async function combine(
  connection: Connection,
  { newRows, file, onto }: { readonly newRows: string; readonly file: string; readonly onto: KeptRows },
  { job, folder }: Planned,
): Promise<WrittenFile> {
  const kept = onto.file === null ? null : join(folder, onto.file);
  const limit = watchSize(connection, file, job.limits.outputBytes);
  try {
    const query = await combinedRows(connection, { newRows, kept, keys: onto.keys });
    return await writeFile(connection, query, { file });
  } catch (error) {
    if (limit.isPassed()) throw tooLarge(job);
    // The statement is ours: a position in it says nothing to anybody.
    const { code, message } = failureOf(error, { query: '', folder });
    throw new StepFailure(code, message);
  } finally {
    limit.end();
  }
}

/** A column that is null in all rows has no type of its own yet. */
const keptType = (type: string): string => (type === 'SQLNULL' ? 'INTEGER' : type);

function requireDistinctNames(columns: readonly Column[]): void {
  const seen = new Set<string>();
  for (const { name } of columns) {
    const folded = name.toLowerCase();
    if (seen.has(folded)) throw new StepFailure('duplicate_column', `Two columns are called ${name}`);
    seen.add(folded);
  }
}

const tooManyRows = (max: number): StepFailure =>
  new StepFailure('too_many_rows', `The result has more than ${max} ${max === 1 ? 'row' : 'rows'}`);

const tooLarge = ({ limits }: StepJob): StepFailure =>
  new StepFailure('too_large', `The result is larger than ${limits.outputBytes} bytes`);

/** The engine has no limit for what it writes. */
function watchSize(connection: Connection, file: string, maxBytes: number) {
  let passed = false;
  const timer = setInterval(() => {
    const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (size <= maxBytes) return;
    passed = true;
    connection.interrupt();
  }, WATCH_EVERY_MS);
  return { isPassed: () => passed, end: () => clearInterval(timer) };
}
