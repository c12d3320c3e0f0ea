import { DomainError, type ErrorKind, type Pending } from './domain-error.ts';

/** What is said once of an error, in the `errors.ts` of whoever throws it. docs/errors.md lists all of them. */
export interface ErrorDeclaration {
  readonly kind: ErrorKind;
  /** Stable: programs of clients compare it. */
  readonly code: string;
  /** PUBLIC. `{max}` stands for a value that is given with each error. */
  readonly text: string;
}

/** Makes an error as it is declared. */
export type DeclaredError<Text extends string = string> = ErrorDeclaration & ((...given: Given<Text>) => DomainError);

type Given<Text extends string> = [ValueNames<Text>] extends [never]
  ? [given?: OfThisError]
  : [given: OfThisError & { readonly [Name in ValueNames<Text>]: string | number }];

interface OfThisError {
  /** PRIVATE: goes to the log, never to a caller. */
  readonly cause?: unknown;
  /** Where it differs from error to error. */
  readonly retryAfterSeconds?: number;
  /** Of what was accepted. */
  readonly pending?: Pending;
}

type ValueNames<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ValueNames<Rest>
  : never;

/**
 * Declares an error: `throw clientGroupFull({ max: 1000 })`.
 *
 * @param retryAfterSeconds Earliest sensible retry.
 */
export function declareError<const Text extends string>(
  kind: ErrorKind,
  code: string,
  text: Text,
  retryAfterSeconds?: number,
): DeclaredError<Text> {
  const make = (given: OfThisError = {}): DomainError => {
    const values = given as Readonly<Record<string, unknown>>;
    return new DomainError({
      kind,
      code,
      message: text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name])),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(given.retryAfterSeconds !== undefined && { retryAfterSeconds: given.retryAfterSeconds }),
      ...(given.pending && { pending: given.pending }),
      ...('cause' in given && { cause: given.cause }),
    });
  };
  return Object.assign(make, { kind, code, text });
}

export const isDeclaredError = (value: unknown): value is DeclaredError =>
  typeof value === 'function' && 'kind' in value && 'code' in value && 'text' in value;
