import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

/**
 * How the original service answered 1,187 requests. What validation lets through is recorded as
 * `passes`, together with the values as they were understood.
 *
 * The cases say nothing about how they are sent: the tests of this library run them against the
 * compiled routes, the end-to-end tests against a running gateway.
 */
export interface RecordedCase {
  readonly id: string;
  readonly group: string;
  readonly method: string;
  /** Path and query, to be sent as they are. */
  readonly target: string;
  readonly auth: 'bearer' | 'none' | 'basic' | 'empty';
  readonly headers: Readonly<Record<string, string>>;
  readonly body_base64?: string;
  readonly expect: Expected;
}

export interface Expected {
  readonly passes?: true;
  readonly parsed?: Readonly<Record<'path' | 'query' | 'body', Readonly<Record<string, unknown>> | undefined>>;
  readonly status?: number;
  readonly detail?: string | readonly ExpectedItem[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The outcome was decided by us, not recorded: only what is given counts. */
  readonly deviation?: true;
}

interface ExpectedItem {
  readonly type?: string;
  readonly loc?: readonly (string | number)[];
  readonly msg?: string;
  readonly input?: unknown;
  readonly ctx?: unknown;
}

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON body. */
  readonly body: unknown;
  /** The understood values by field name, where they can be seen. */
  readonly parsed?: Readonly<Record<string, unknown>>;
}

/** A case as a request; `{token}` is replaced and the `auth` kind becomes a header. */
export interface CaseRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

const casesFile = path.join(import.meta.dirname, 'validation-examples.jsonl');

/** The recorded cases by group; another file of the same form may be given. */
export function recordedGroups(file: string = casesFile): ReadonlyMap<string, readonly RecordedCase[]> {
  const cases = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedCase);
  return Map.groupBy(cases, ({ group }) => group);
}

export function requestOf({ method, target, auth, headers, body_base64 }: RecordedCase, token: string): CaseRequest {
  const authorization = { bearer: `Bearer ${token}`, none: undefined, basic: 'Basic dXNlcjpwYXNz', empty: '' }[auth];
  return {
    method,
    target,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.replace('{token}', token).trim()]),
      ),
    },
    body: body_base64 === undefined ? undefined : Buffer.from(body_base64, 'base64'),
  };
}

/** One sentence per case whose answer is not the recorded one. */
export async function disagreements(
  cases: readonly RecordedCase[],
  token: string,
  send: (request: CaseRequest) => Answer | Promise<Answer>,
): Promise<string[]> {
  const found: string[] = [];
  for (const recorded of cases) {
    const reason = disagreement(recorded.expect, await send(requestOf(recorded, token)));
    if (reason !== undefined) found.push(`${recorded.id}: ${recorded.method} ${recorded.target}: ${reason}`);
  }
  return found;
}

function disagreement(expected: Expected, answer: Answer): string | undefined {
  if (expected.passes) return refusal(answer) ?? otherValues(expected, answer);
  if (answer.status !== expected.status) {
    return `status ${answer.status} instead of ${expected.status ?? '?'}: ${JSON.stringify(answer.body)}`;
  }
  const { detail, ...more } = (answer.body ?? {}) as { detail?: unknown };
  return otherHeaders(expected, answer) ?? otherDetail(expected, detail) ?? furtherMembers(more);
}

/** Behind validation anything may happen, except what only routing and validation say. */
function refusal({ status, body }: Answer): string | undefined {
  const isUnknownPath = status === 404 && isDeepStrictEqual(body, { detail: 'Not Found' });
  if (![307, 400, 401, 405, 422].includes(status) && !isUnknownPath) return undefined;
  return `refused with ${status}: ${JSON.stringify(body)}`;
}

function otherValues({ parsed }: Expected, answer: Answer): string | undefined {
  if (!answer.parsed) return undefined;
  for (const [name, value] of Object.entries({ ...parsed?.path, ...parsed?.query, ...parsed?.body })) {
    const found = answer.parsed[name];
    if (!isSame(value, found)) return `${name} is ${JSON.stringify(found)} instead of ${JSON.stringify(value)}`;
  }
  return undefined;
}

/** Absent, null and a proto3 default are one; a time is the same in any notation. */
function isSame(expected: unknown, found: unknown): boolean {
  if (found instanceof Date) return typeof expected === 'string' && asUtc(expected) === found.getTime();
  if (expected === null) return found === null || found === undefined || found === '' || isDeepStrictEqual(found, []);
  return isDeepStrictEqual(expected, found);
}

function asUtc(time: string): number {
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`);
}

function otherHeaders({ headers = {} }: Expected, answer: Answer): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const found = answer.headers[name];
    // Paths may have more methods today.
    const isSameHeader = name === 'allow' ? found?.split(', ').includes(value) : found === value;
    if (!isSameHeader) return `header ${name} is ${JSON.stringify(found)} instead of ${value}`;
  }
  return undefined;
}

/** The original has nothing beside `detail`. */
function furtherMembers(more: object): string | undefined {
  return Object.keys(more).length === 0 ? undefined : `the body has ${JSON.stringify(more)} beside its detail`;
}

function otherDetail({ detail, deviation }: Expected, found: unknown): string | undefined {
  if (typeof detail !== 'object') {
    return detail === undefined || detail === found
      ? undefined
      : `detail is ${JSON.stringify(found)} instead of ${detail}`;
  }
  const shown = `detail is ${JSON.stringify(found)} instead of ${JSON.stringify(detail)}`;
  if (!Array.isArray(found) || found.length !== detail.length) return shown;
  return detail.every((item, at) => isSameItem(item, found[at] as ExpectedItem, deviation === true))
    ? undefined
    : shown;
}

/** Bytes from which an echoed input is cut. */
const maxInput = 1024;

function isSameItem(expected: ExpectedItem, found: ExpectedItem, deviation: boolean): boolean {
  const keys = ['type', 'loc', 'msg', 'input', 'ctx'] as const;
  return keys.every((key) => {
    if (deviation && !(key in expected)) return true;
    if (key === 'input' && Buffer.byteLength(JSON.stringify(expected.input ?? null)) > maxInput) return true;
    return isDeepStrictEqual(expected[key], found[key]);
  });
}
