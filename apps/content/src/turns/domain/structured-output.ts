import { type DomainError, type Fields, invalidField } from '@platform-backend/core';

/** The form in which an answer is asked for, in OpenAI's words; undefined: text. */
export type ResponseFormat =
  | { readonly type: 'json_object' }
  | { readonly type: 'json_schema'; readonly json_schema: Fields & { readonly name: string; readonly schema: Fields } };

/** Whether an answer keeps to the form in which it was asked for. */
export interface StructuredOutput {
  /** `unchecked`: it could not be told in time. */
  readonly status: 'valid' | 'invalid' | 'unchecked';
  /** What is wrong and where, for people. */
  readonly errors: readonly string[];
}

/** Schemas of clients, which may take any time: held in threads that end with it. */
export interface JsonSchemas {
  /** Why it is no schema that an answer could be held against; undefined: it is one. UNAVAILABLE: it cannot be told now. */
  readonly problemOf: (organisationId: string, schema: Fields) => Promise<string | undefined>;
  /** What is wrong with the value and where; empty: nothing. UNAVAILABLE: it cannot be told now. */
  readonly errorsIn: (organisationId: string, schema: Fields, json: string) => Promise<readonly string[]>;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** OpenAI's rule of names. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** What is wrong with a `response_format`, with where in it. */
export function formatProblem(format: Fields): { readonly at: readonly string[]; readonly msg: string } | undefined {
  const { type, json_schema: given } = format;
  if (type === 'text' || type === 'json_object') return undefined;
  if (type !== 'json_schema') return { at: ['type'], msg: "Input should be 'text', 'json_object' or 'json_schema'" };
  if (!isFields(given)) return { at: ['json_schema'], msg: "Field required, with 'name' and 'schema'" };
  if (typeof given['name'] !== 'string' || !NAME.test(given['name']))
    return { at: ['json_schema', 'name'], msg: 'Input should be 1 to 64 letters, digits, underscores and hyphens' };
  return isFields(given['schema'])
    ? undefined
    : { at: ['json_schema', 'schema'], msg: 'Input should be a JSON schema' };
}

/** A format that `formatProblem` finds nothing wrong with; undefined: text. */
export const responseFormatOf = (format: Fields | null): ResponseFormat | undefined =>
  format === null || format['type'] === 'text' ? undefined : (format as unknown as ResponseFormat);

/** INVALID: it is no form that an answer can have here. */
export async function requireFormat(
  { schemas, organisationId }: { readonly schemas: Pick<JsonSchemas, 'problemOf'>; readonly organisationId: string },
  format: Fields | null,
  { isFollowed }: { readonly isFollowed: boolean },
): Promise<ResponseFormat | undefined> {
  const problem = format && formatProblem(format);
  if (problem) throw invalidFormat(problem.at, problem.msg);
  const wanted = responseFormatOf(format);
  if (!wanted) return undefined;
  if (!isFollowed) throw invalidFormat([], 'No language model is set up here that would follow it');
  if (wanted.type === 'json_object') return wanted;
  const wrong = await schemas.problemOf(organisationId, wanted.json_schema.schema);
  if (wrong !== undefined) throw invalidFormat(['json_schema', 'schema'], wrong);
  return wanted;
}

const invalidFormat = (at: readonly string[], problem: string): DomainError =>
  invalidField(['body', 'response_format', ...at], problem);

/** For models that are not made to keep to a form by whoever runs them. */
export const formatInstructions = (format: ResponseFormat): string =>
  [
    'Answer with one JSON value alone, without words or fences around it. Numbers of sources stand in its texts or nowhere.',
    ...(format.type === 'json_schema'
      ? [`It keeps to this JSON schema:\n${JSON.stringify(format.json_schema.schema)}`]
      : ['It is an object.']),
  ].join(' ');

/** Whether the answer keeps to its form. */
export async function structuredOutput(
  { schemas, organisationId }: { readonly schemas: Pick<JsonSchemas, 'errorsIn'>; readonly organisationId: string },
  format: ResponseFormat,
  text: string,
): Promise<StructuredOutput> {
  const value = parsed(text);
  if (value === undefined) return { status: 'invalid', errors: ['It is no JSON'] };
  if (format.type === 'json_object')
    return isFields(value.json) ? { status: 'valid', errors: [] } : { status: 'invalid', errors: ['It is no object'] };
  try {
    const errors = await schemas.errorsIn(organisationId, format.json_schema.schema, text);
    return { status: errors.length > 0 ? 'invalid' : 'valid', errors };
  } catch {
    return { status: 'unchecked', errors: [] };
  }
}

/** What an answer in JSON says in words: brackets of lists are no numbers of sources. */
export function wordsIn(text: string): string {
  const words: string[] = [];
  const value = parsed(text);
  if (value === undefined) return text;
  const open = [value.json];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') words.push(next);
    else if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) open.push(inner);
  }
  return words.join('\n');
}

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
