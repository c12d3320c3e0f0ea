import type { ErrorItem } from '../validation/problem.ts';
import type { Form } from './form.ts';

/** The parts of an HTTP request that an operation may read. */
export interface RequestParts {
  /** Decoded values of the path's parameters, by name. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Behind the `?`, not decoded; empty when there is none. */
  readonly rawQuery: string;
  /** Names in lower case, as Node.js gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The whole body; undefined or empty when there is none. */
  readonly body: Buffer | undefined;
  /** The body, when it is a form that was read already. */
  readonly form?: Form;
}

/** Why a request is no message. `detail` goes into JSON.stringify as it is. */
export type RequestFailure =
  | { readonly ok: false; readonly status: 400; readonly detail: string }
  | { readonly ok: false; readonly status: 422; readonly detail: readonly ErrorItem[] };

export type ParsedRequest =
  | { readonly ok: true; /** The bytes of the request message. */ readonly message: Buffer }
  | RequestFailure;

/** The first value of a header. */
export function headerOf({ headers }: RequestParts, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value[0] : value;
}
