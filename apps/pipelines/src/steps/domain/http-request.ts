import type { Cell } from '../../step-engine/domain/step-job.ts';
import type { ParameterValues } from './parameters.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type HttpResponseFormat = 'JSON' | 'JSONL' | 'CSV';

/** What an HTTP step sends, and how it reads what is answered. */
export interface HttpRequest {
  readonly method: HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  /** Sealed, but for those of a step that is about to be published. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  /** With placeholders; empty: the rows, where there are any. */
  readonly body: string;
  readonly responseFormat: HttpResponseFormat;
  /** Names with dots between; empty: the answer is the rows. */
  readonly rowsPath: string;
}

/** What a header is sealed for: copied to another organisation, or to a step that calls somebody else, it opens for nobody. */
export const headerContext = (organisationId: string, url: string, header: string): string =>
  `http-header/${organisationId}/${new URL(url).origin}/${header.toLowerCase()}`;

/** Of what is sent. */
export const MAX_REQUEST_BYTES = 4 * 2 ** 20;
/** Of an answer that is read. */
export const MAX_RESPONSE_BYTES = 32 * 2 ** 20;

export interface PlaceholderValues {
  /** An array in JSON. */
  readonly rows: string | undefined;
  readonly runId: string;
  readonly step: string;
  readonly parameters: ParameterValues;
}

/** Undefined: nothing is sent. In one pass, so that nothing in the rows is taken for a placeholder. */
export function bodyOf({ body }: Pick<HttpRequest, 'body'>, given: PlaceholderValues): string | undefined {
  if (body === '') return given.rows;
  const values = placeholderValues(given);
  return body.replace(PLACEHOLDER, (written, name: string) => values[name] ?? written);
}

/** Of what `bodyOf` makes, without making it: a body may ask for the rows thousands of times. */
export function bodyBytes({ body }: Pick<HttpRequest, 'body'>, given: PlaceholderValues): number {
  if (body === '') return Buffer.byteLength(given.rows ?? '');
  const bytesOf = Object.fromEntries(
    Object.entries(placeholderValues(given)).map(([name, value]) => [name, Buffer.byteLength(value)]),
  );
  return [...body.matchAll(PLACEHOLDER)].reduce(
    (sum, [written, name = '']) => sum + (bytesOf[name] ?? 0) - written.length,
    Buffer.byteLength(body),
  );
}

const placeholderValues = ({ rows, runId, step, parameters }: PlaceholderValues): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [`parameters.${name}`, JSON.stringify(value)]),
  ),
  rows: rows ?? '[]',
  run_id: runId,
  step: JSON.stringify(step),
});

const PLACEHOLDER = /\{\{\s*(rows|run_id|step|parameters\.[A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;
const PARAMETER = /\{\{\s*parameters\.([^{}]*?)\s*\}\}/g;

/** The parameters that a URL or a body asks for. */
export const parametersIn = (template: string): readonly string[] =>
  [...template.matchAll(PARAMETER)].map(([, name = '']) => name);

/** A URL with its parameters, each as one piece of it. Undefined: with these it would be another path, or another server. */
export function urlOf(template: string, parameters: ParameterValues): string | undefined {
  const withValues = (valueOf: (name: string) => string) =>
    template.replace(PARAMETER, (_written, name: string) => valueOf(name));
  if (parametersIn(template).length === 0) return template;
  const url = withValues((name) => encodeURIComponent(textOf(parameters[name] ?? null)));
  const [wanted, made] = [withValues(() => 'x'), url].map((text) => new URL(text)) as [URL, URL];
  const isSame = wanted.origin === made.origin && segments(wanted) === segments(made);
  return isSame ? url : undefined;
}

/** Those that say something: an empty one at the end is what `.` leaves, or no value. */
const segments = ({ pathname }: URL): number => pathname.split('/').filter((piece) => piece !== '').length;

const textOf = (value: Cell): string =>
  value === null ? '' : typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value);

/** Whether parameters of a URL stand behind its server, which they cannot change. */
export function isServerFixed(template: string): boolean {
  const first = template.search(PARAMETER);
  return first === -1 || /^https?:\/\/[^/?#\\@]+[/?]/i.test(template.slice(0, first));
}

/** The same for all attempts of a step of a run, and of no other. */
export const idempotencyKeyOf = (runId: string, stepIndex: number): string => `${runId}-${stepIndex}`;

/** A query that selects the rows of an answer, which is a table of this name. */
export function rowsQuery({ rowsPath }: Pick<HttpRequest, 'rowsPath'>, table: string): string {
  if (rowsPath === '') return `SELECT * FROM ${table}`;
  const path = rowsPath.split('.').map((name) => `"${name.replaceAll('"', '""')}"`);
  return `SELECT unnest(entry) FROM (SELECT unnest(${path.join('.')}) AS entry FROM ${table})`;
}

/** A query for what lies where the rows should be, of the document that was answered: its type, its length and the type of the first one. */
export function shapeQuery({ rowsPath }: Pick<HttpRequest, 'rowsPath'>, table: string): string {
  const names = rowsPath === '' ? [] : rowsPath.split('.');
  const pointer = names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll("'", "''")}`);
  const found = pointer.length === 0 ? 'json' : `json_extract(json, '${pointer.join('')}')`;
  return `SELECT json_type(found), json_array_length(found), json_type(found, '/0') FROM (SELECT ${found} AS found FROM ${table})`;
}

/** What the platform sets itself, and what says how bytes are sent. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'idempotency-key', 'keep-alive', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'user-agent'],
]);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** No control characters: a header would end there. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What is wrong with a header, without its value. */
export function headerProblem(name: string, value: string): string | undefined {
  if (!TOKEN.test(name)) return 'this is no name of a header';
  if (RESERVED.has(name.toLowerCase())) return 'this header is set by the platform';
  return VALUE.test(value) ? undefined : 'its value holds characters that no header may have';
}
