import { failedReport, type QueryPosition, type StepReport } from '../domain/step-job.ts';
import { folderNames } from '../domain/step-messages.ts';

/** Why a step cannot succeed, for whoever wrote it. */
export class StepFailure extends Error {
  readonly code: string;
  readonly position: QueryPosition | undefined;

  constructor(code: string, message: string, position?: QueryPosition) {
    super(message);
    this.code = code;
    this.position = position;
  }
}

export const reportOf = ({ code, message, position }: StepFailure): StepReport => ({
  ...failedReport(code, message),
  ...(position && { position }),
});

/** What DuckDB says of an error where `errors_as_json` is set. */
interface EngineError {
  readonly exception_type: string;
  readonly exception_message: string;
  readonly error_subtype?: string;
  /** Of what is not there: its kind, `Table` or `Scalar Function`. */
  readonly type?: string;
  /** In bytes of the statement. */
  readonly position?: string;
}

/** `wrapped`: bytes of the statement before the query begins. `folder` is left out of messages. */
export function failureOf(
  error: unknown,
  { query, wrapped = 0, folder }: { readonly query: string; readonly wrapped?: number; readonly folder: string },
): StepFailure {
  if (error instanceof StepFailure) return error;
  const said = engineErrorIn(error instanceof Error ? error.message : String(error));
  const message = Object.values(folderNames)
    .reduce((text, name) => text.replaceAll(`${folder}/${name}/`, ''), said.exception_message)
    .replaceAll(`${folder}/`, '')
    .replace(OWN_TABLE_MEANT, '');
  const at = said.position === undefined ? -1 : Number(said.position) - wrapped;
  const code = codeOf(said);
  return new StepFailure(code, withAdvice(code, message), at < 0 ? undefined : positionIn(query, at));
}

/** For want of a table with a name like the one that is unknown the engine proposes one of its own. */
const OWN_TABLE_MEANT = /\nDid you mean [^\n]*"(?:pg_|sqlite_|duckdb_|information_schema\.)[^\n]*/;

/** A message becomes part of a JSON column, which refuses half a character. */
const MAX_MESSAGE = 2000;

/** What to do, where the engine does not say it. */
const advice: Readonly<Record<string, string>> = {
  unknown_table: 'A query reads what its step names as inputs, by these names.',
  unknown_function: 'The functions are those of DuckDB, without its extensions.',
  unknown_type: 'The types are those of DuckDB, without its extensions.',
  not_allowed: 'A query reads the tables of its step, and no files and no addresses.',
};

function withAdvice(code: string, message: string): string {
  const more = advice[code] === undefined ? '' : `\n${advice[code]}`;
  return message.slice(0, MAX_MESSAGE - more.length).toWellFormed() + more;
}

/** What changes something, or is no query at all. */
export const notASelect = (): StepFailure =>
  new StepFailure(
    'not_a_select',
    'Steps only read: a query is one SELECT, whose result becomes the output of the step. DROP, CREATE, INSERT, UPDATE, COPY and the like are not allowed.',
  );

function engineErrorIn(message: string): EngineError {
  const json = message.slice(message.indexOf('{'));
  try {
    const parsed = JSON.parse(json) as Partial<EngineError>;
    if (parsed.exception_type !== undefined && parsed.exception_message !== undefined) return parsed as EngineError;
  } catch {
    // It was said in another way.
  }
  return { exception_type: '', exception_message: message };
}

const codesBySubtype: Readonly<Record<string, string>> = {
  SYNTAX_ERROR: 'syntax',
  COLUMN_NOT_FOUND: 'unknown_column',
};

const codesByType: Readonly<Record<string, string>> = {
  Parser: 'syntax',
  Syntax: 'syntax',
  Catalog: 'unknown_table',
  Permission: 'not_allowed',
  Conversion: 'conversion',
  'Out of Memory': 'out_of_memory',
  'Invalid Input': 'invalid_data',
  Interrupt: 'interrupted',
  INTERRUPT: 'interrupted',
};

function codeOf({ exception_type, error_subtype = '', type = '' }: EngineError): string {
  if (exception_type === 'Catalog' && /function|macro/i.test(type)) return 'unknown_function';
  if (exception_type === 'Catalog' && /type/i.test(type)) return 'unknown_type';
  return codesBySubtype[error_subtype] ?? codesByType[exception_type] ?? 'query_failed';
}

function positionIn(query: string, byte: number): QueryPosition {
  const lines = Buffer.from(query).subarray(0, byte).toString().split('\n');
  return { line: lines.length, column: Array.from(lines.at(-1) ?? '').length + 1 };
}
