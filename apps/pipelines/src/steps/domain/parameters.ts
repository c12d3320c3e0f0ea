import { fieldViolation, type Violation } from '@platform-backend/core';
import type { Cell, SqlVariable } from '../../step-engine/domain/step-job.ts';

export type ParameterType = 'STRING' | 'INTEGER' | 'NUMBER' | 'BOOLEAN' | 'DATE' | 'TIMESTAMP';

/** A value that runs of a version are started with. */
export interface Parameter {
  readonly name: string;
  readonly type: ParameterType;
  /** Null: none. */
  readonly defaultValue: Cell;
  /** No run starts without a value. */
  readonly required: boolean;
  readonly description: string;
}

/** Values by the names of their parameters. */
export type ParameterValues = Readonly<Record<string, Cell>>;

const SQL_TYPES: Readonly<Record<ParameterType, string>> = {
  STRING: 'VARCHAR',
  INTEGER: 'BIGINT',
  NUMBER: 'DOUBLE',
  BOOLEAN: 'BOOLEAN',
  DATE: 'DATE',
  TIMESTAMP: 'TIMESTAMP',
};

/** What a program has under these names already. */
const RESERVED: ReadonlySet<string> = new Set(['datasets']);
/** In characters. */
const MAX_TEXT = 10_000;

type Checked = { readonly value: Cell } | { readonly problem: string };

const problem = (text: string): Checked => ({ problem: text });

/** A value as it is kept, or why it is none of this type. Null is one of each. */
export function checkedValue(type: ParameterType, value: unknown): Checked {
  if (value === null) return { value };
  switch (type) {
    case 'STRING':
      if (typeof value !== 'string') return problem('it is a text');
      return value.length > MAX_TEXT || value.includes('\0')
        ? problem(`it has at most ${MAX_TEXT} characters, of which none is NUL`)
        : { value };
    case 'INTEGER':
      return Number.isSafeInteger(value)
        ? { value: value as number }
        : problem('it is a whole number of up to 2^53 - 1');
    case 'NUMBER':
      return typeof value === 'number' && Number.isFinite(value) ? { value } : problem('it is a number');
    case 'BOOLEAN':
      return typeof value === 'boolean' ? { value } : problem('it is true or false');
    case 'DATE':
      return typeof value === 'string' && isDate(value) ? { value } : problem('it is a date such as 2026-07-01');
    case 'TIMESTAMP':
      return timestampOf(value);
  }
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** That there is: no 30th of February. */
function isDate(text: string): boolean {
  const at = DATE.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return at !== undefined && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

function timestampOf(value: unknown): Checked {
  const [text, date = ''] = (typeof value === 'string' && TIMESTAMP.exec(value)) || [];
  const at = text !== undefined && isDate(date) ? new Date(text) : undefined;
  return at === undefined || Number.isNaN(at.getTime())
    ? problem('it is a time with its zone, to the millisecond at most, such as 2026-07-01T12:00:00Z')
    : { value: at.toISOString() };
}

/** Everything because of which these cannot be the parameters of a version. */
export function declarationViolations(declared: readonly Parameter[]): readonly Violation[] {
  const names = declared.map(({ name }) => name.toLowerCase());
  return declared.flatMap(({ name, type, defaultValue, required }, index) => {
    const at = (field: string, msg: string, input: unknown) =>
      fieldViolation(['body', 'parameters', index, field], msg, input);
    const checked = checkedValue(type, defaultValue);
    return [
      ...(names.indexOf(name.toLowerCase()) < index ? [at('name', 'another parameter has this name', name)] : []),
      ...(RESERVED.has(name.toLowerCase()) ? [at('name', 'programs have something else of this name', name)] : []),
      ...('problem' in checked ? [at('default_value', checked.problem, defaultValue)] : []),
      ...(required && defaultValue !== null
        ? [at('default_value', 'what is required has no default', defaultValue)]
        : []),
    ];
  });
}

/** Declared parameters with their defaults as they are kept. */
export const normalised = (declared: readonly Parameter[]): readonly Parameter[] =>
  declared.map((parameter) => {
    const checked = checkedValue(parameter.type, parameter.defaultValue);
    return 'value' in checked ? { ...parameter, defaultValue: checked.value } : parameter;
  });

/** What is wrong with values that were given, whether or not all of them were. */
export function givenViolations(
  declared: readonly Parameter[],
  given: ParameterValues,
  field: readonly (string | number)[] = ['parameters'],
): readonly Violation[] {
  const known = new Map(declared.map((parameter) => [parameter.name, parameter]));
  return Object.entries(given).flatMap(([name, value]) => {
    const parameter = known.get(name);
    const at = (msg: string) => [fieldViolation(['body', ...field, name], msg, value)];
    if (!parameter) return at(unknownParameter(declared));
    const checked = checkedValue(parameter.type, value);
    if ('problem' in checked) return at(checked.problem);
    return value === null && parameter.required ? at('it is required') : [];
  });
}

const MAX_NAMED = 20;

const unknownParameter = (declared: readonly Parameter[]): string =>
  declared.length === 0
    ? 'the version has no parameters'
    : `the version has no such parameter: ${declared
        .slice(0, MAX_NAMED)
        .map(({ name }) => name)
        .join(', ')}`;

/** Those of a run: what was given, and defaults. Violations: what is unknown, missing or of another type. */
export function startValues(
  declared: readonly Parameter[],
  given: ParameterValues,
  field: readonly (string | number)[] = ['parameters'],
): { readonly values: ParameterValues; readonly violations: readonly Violation[] } {
  const missing = declared
    .filter(({ name, required }) => required && !Object.hasOwn(given, name))
    .map(({ name }) => fieldViolation(['body', ...field, name], 'it is required', null));
  const values = declared.map(({ name, type, defaultValue }): [string, Cell] => {
    const checked = checkedValue(type, Object.hasOwn(given, name) ? given[name] : defaultValue);
    return [name, 'value' in checked ? checked.value : null];
  });
  return {
    values: Object.fromEntries(values),
    violations: [...givenViolations(declared, given, field), ...missing],
  };
}

/** As queries have them: all that are declared, also those that a run of before knows nothing of. */
export const sqlVariables = (declared: readonly Parameter[], values: ParameterValues): readonly SqlVariable[] =>
  declared.map(({ name, type }) => ({
    name,
    type: SQL_TYPES[type],
    value: textOf(Object.hasOwn(values, name) ? values[name] : null),
  }));

const textOf = (value: Cell | undefined): string | null =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);

/** Variables that a query asks for and that there are not: DuckDB would take them for null. */
export function unknownVariables(query: string, declared: readonly Parameter[]): readonly string[] {
  const known = new Set(declared.map(({ name }) => name.toLowerCase()));
  const named = [...query.matchAll(VARIABLE)].map(([, name = '']) => name.replaceAll("''", "'"));
  return named.filter((name) => !known.has(name.toLowerCase()));
}

const VARIABLE = /\bgetvariable\s*\(\s*'((?:[^']|'')*)'\s*\)/gi;
