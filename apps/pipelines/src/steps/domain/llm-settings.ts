import { exactNumberText, parseExactJson, type Fields } from '@platform-backend/core';
import type { Column } from '../../step-engine/domain/column.ts';
import type { Cell } from '../../step-engine/domain/step-job.ts';
import type { KernelParameters } from './kernel-job.ts';

/** What becomes of a row without an answer that could be used. */
export type LlmRowErrors = 'FAIL' | 'COLUMN';

/** How an LLM step asks its language model; its query is the prompt. */
export interface LlmSettings {
  /** Empty: the usual one. */
  readonly model: string;
  readonly instructions: string;
  /** Of an answer in text. */
  readonly outputColumn: string;
  /** Of an object, whose properties are columns. Null: the answer is text. */
  readonly jsonSchema: Readonly<Record<string, Cell>> | null;
  readonly temperature: number | null;
  readonly maxOutputTokens: number | null;
  readonly rowErrors: LlmRowErrors;
  readonly errorColumn: string;
  /** Of one call. */
  readonly callTimeoutSeconds: number;
}

export const usualLlmSettings: LlmSettings = {
  model: '',
  instructions: '',
  outputColumn: 'answer',
  jsonSchema: null,
  temperature: null,
  maxOutputTokens: null,
  rowErrors: 'FAIL',
  errorColumn: 'error',
  callTimeoutSeconds: 60,
};

/** In characters. */
export const MAX_PROMPT_LENGTH = 300_000;

/** A placeholder of a prompt: the whole row, one of its columns, or a parameter. */
interface Placeholder {
  readonly of: 'row' | 'parameters';
  /** Undefined: all of it. */
  readonly name: string | undefined;
}

const PLACEHOLDER = /\{\{\s*(row|parameters)(?:\.(\S[^{}]*?))?\s*\}\}/g;

export const placeholdersOf = (prompt: string): readonly Placeholder[] =>
  [...prompt.matchAll(PLACEHOLDER)].map(([, of, name]) => ({ of: of as Placeholder['of'], name }));

/** One that is no column among these, whatever the case of its letters. */
export function unknownColumn(prompt: string, columns: readonly string[]): string | undefined {
  const known = new Set(columns.map((name) => name.toLowerCase()));
  return placeholdersOf(prompt).find(
    ({ of, name }) => of === 'row' && name !== undefined && !known.has(name.toLowerCase()),
  )?.name;
}

/** In one pass, so that nothing in a row is taken for a placeholder. */
export function promptOf(prompt: string, row: Fields, parameters: KernelParameters): string {
  let columns: Map<string, unknown> | undefined;
  return prompt.replace(PLACEHOLDER, (_written, of: Placeholder['of'], name: string | undefined) => {
    if (of === 'parameters') return textOf(name === undefined ? parameters : parameters[name]);
    if (name === undefined) return textOf(row);
    columns ??= new Map(Object.entries(row).map(([column, value]) => [column.toLowerCase(), value]));
    return textOf(columns.get(name.toLowerCase()));
  });
}

/** Texts as they are, all else in JSON; nothing for what is not there. */
const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : value === null || value === undefined
      ? ''
      : (exactNumberText(value) ?? JSON.stringify(value));

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const propertiesOf = ({ jsonSchema }: { readonly jsonSchema: Fields | null }): Fields =>
  isFields(jsonSchema?.['properties']) ? jsonSchema['properties'] : {};

/** What is wrong with a schema whose answers are to be columns. */
export function schemaProblem(jsonSchema: Fields): string | undefined {
  if (jsonSchema['type'] !== 'object') return 'it has to be of type object: its properties are the columns';
  const names = Object.keys(propertiesOf({ jsonSchema }));
  if (names.length === 0 || names.length > MAX_PROPERTIES) return `it needs 1 to ${MAX_PROPERTIES} properties`;
  return names.some((name) => name === '' || name.length > MAX_NAME_LENGTH)
    ? `names of properties have 1 to ${MAX_NAME_LENGTH} characters`
    : undefined;
}

const MAX_PROPERTIES = 100;
const MAX_NAME_LENGTH = 200;

const TYPES: Readonly<Record<string, string>> = {
  string: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
};

function typeOf(property: unknown): string {
  const { type } = isFields(property) ? property : {};
  const [only, ...others] = [type].flat().filter((one) => one !== 'null');
  return others.length === 0 && typeof only === 'string' ? (TYPES[only] ?? 'JSON') : 'JSON';
}

/** Columns of an answer. */
export function answerColumns(settings: LlmSettings): readonly Column[] {
  if (!settings.jsonSchema) return [{ name: settings.outputColumn, type: 'VARCHAR' }];
  return Object.entries(propertiesOf(settings)).map(([name, property]) => ({ name, type: typeOf(property) }));
}

const [MIN_BIGINT, MAX_BIGINT] = [-(2n ** 63n), 2n ** 63n - 1n];

/** Why an answer does not fit its columns though it is as its schema says: a whole number of more than 64 bits, which no BIGINT holds. */
export function unfitNumber(settings: LlmSettings, text: string): string | undefined {
  const whole = settings.jsonSchema ? answerColumns(settings).filter(({ type }) => type === 'BIGINT') : [];
  if (whole.length === 0) return undefined;
  const answer = parsed(text);
  const unfit = isFields(answer) && whole.find(({ name }) => Object.hasOwn(answer, name) && !isBigint(answer[name]));
  return unfit ? `${unfit.name} is no whole number of up to 64 bits` : undefined;
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function isBigint(value: unknown): boolean {
  if (value === null) return true;
  const number = exactNumberText(value) ?? (typeof value === 'number' ? String(value) : undefined);
  if (number === undefined) return false;
  if (/^-?\d+$/.test(number)) return BigInt(number) >= MIN_BIGINT && BigInt(number) <= MAX_BIGINT;
  return Math.abs(Number(number)) < Number(MAX_BIGINT);
}

/** Those that a step adds to the columns of its rows. */
export const addedColumns = (settings: LlmSettings): readonly Column[] => [
  ...answerColumns(settings),
  ...(settings.rowErrors === 'COLUMN' ? [{ name: settings.errorColumn, type: 'VARCHAR' }] : []),
];

/** One that the rows have already among these, or that the step needs for itself, whatever the case of its letters. */
export function takenColumn(settings: LlmSettings, columns: readonly string[]): string | undefined {
  const own = new Set([ROW_NUMBER, ...addedColumns(settings).map(({ name }) => name.toLowerCase())]);
  return columns.find((name) => own.has(name.toLowerCase()));
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** What a step makes of this table, or of nothing, for whoever plans what follows. */
export function plannedQuery(settings: LlmSettings, table: string | undefined): string {
  const added = addedColumns(settings).map(({ name, type }) => `NULL::${type} AS ${quoted(name)}`);
  return `SELECT ${[...(table === undefined ? [] : ['*']), ...added].join(', ')}${table === undefined ? '' : ` FROM ${quoted(table)}`}`;
}

/** By which rows and answers are brought together. */
export const ROW_NUMBER = '__row_number';

export const numberedQuery = (table: string): string =>
  `SELECT *, row_number() OVER () AS ${quoted(ROW_NUMBER)} FROM ${quoted(table)}`;

/** An answer as it lies in a file: its columns and why there are none, both as texts of JSON, which nothing takes for a date. */
export interface AnswerLine {
  readonly [ROW_NUMBER]: number;
  readonly a: string | null;
  readonly e: string | null;
}

export const ANSWER_COLUMNS: readonly Column[] = [
  { name: ROW_NUMBER, type: 'BIGINT' },
  { name: 'a', type: 'VARCHAR' },
  { name: 'e', type: 'VARCHAR' },
];

/** The rows of a table that `numberedQuery` has made, or none, with their answers. */
export function answeredQuery(settings: LlmSettings, answers: string, rows: string | undefined): string {
  const columns = answerColumns(settings).map(
    ({ name, type }) => `${extracted(`${answers}.a`, name, type)} AS ${quoted(name)}`,
  );
  const error =
    settings.rowErrors === 'COLUMN'
      ? [`json_extract_string(${answers}.e, '$') AS ${quoted(settings.errorColumn)}`]
      : [];
  const own = [...columns, ...error].join(', ');
  if (rows === undefined) return `SELECT ${own} FROM ${answers}`;
  const number = quoted(ROW_NUMBER);
  return `SELECT ${rows}.* EXCLUDE (${number}), ${own} FROM ${rows} JOIN ${answers} ON ${rows}.${number} = ${answers}.${number} ORDER BY ${rows}.${number}`;
}

function extracted(answer: string, name: string, type: string): string {
  const pointer = `'/${name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll("'", "''")}'`;
  const text = `json_extract_string(${answer}, ${pointer})`;
  if (type === 'VARCHAR') return text;
  if (type !== 'JSON') return `CAST(${text} AS ${type})`;
  return `CASE WHEN json_type(${answer}, ${pointer}) = 'NULL' THEN NULL ELSE json_extract(${answer}, ${pointer}) END`;
}
