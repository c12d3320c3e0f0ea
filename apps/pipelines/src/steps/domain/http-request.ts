import { createHash } from 'node:crypto';

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

/** Of what is sent. */
export const MAX_REQUEST_BYTES = 4 * 2 ** 20;
/** Of an answer that is read. */
export const MAX_RESPONSE_BYTES = 32 * 2 ** 20;

export interface BodyValues {
  /** An array in JSON. */
  readonly rows: string | undefined;
  readonly runId: string;
  readonly step: string;
}

/** Undefined: nothing is sent. In one pass, so that nothing in the rows is taken for a placeholder. */
export function bodyOf({ body }: Pick<HttpRequest, 'body'>, { rows, runId, step }: BodyValues): string | undefined {
  if (body === '') return rows;
  const values: Readonly<Record<string, string>> = { rows: rows ?? '[]', run_id: runId, step: JSON.stringify(step) };
  return body.replace(PLACEHOLDER, (written, name: string) => values[name] ?? written);
}

const PLACEHOLDER = /\{\{\s*(rows|run_id|step)\s*\}\}/g;

/** The same for all attempts of a step of a run, and of no other. */
export const idempotencyKeyOf = (runId: string, stepIndex: number): string =>
  createHash('sha256').update(`${runId}/${stepIndex}`).digest('base64url');

/** A query that selects the rows of an answer, which is a table of this name. */
export function rowsQuery({ rowsPath }: Pick<HttpRequest, 'rowsPath'>, table: string): string {
  if (rowsPath === '') return `SELECT * FROM ${table}`;
  const path = rowsPath.split('.').map((name) => `"${name.replaceAll('"', '""')}"`);
  return `SELECT unnest(entry) FROM (SELECT unnest(${path.join('.')}) AS entry FROM ${table})`;
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
