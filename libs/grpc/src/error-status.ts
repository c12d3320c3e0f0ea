import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import { invalidCallerAssertion, missingCallerAssertion } from '@platform-backend/auth';
import { beginningOf, DomainError, outcomeUnknown, type Pending, type Violation } from '@platform-backend/core';
import { ERROR_TABLE, isErrorKind, KIND_OF_BARE_STATUS } from './error-table.ts';
import { ERROR_CODE, ERROR_KIND, LENGTH, PENDING, RETRY_AFTER, VIOLATIONS } from './metadata-names.ts';

/**
 * Trailers travel as HTTP/2 headers, whose total many peers limit to 8 KiB after base64. Violations
 * beyond this many bytes are left out: the first ones are enough to mend a request.
 */
const MAX_VIOLATIONS = 5 * 1024;
/** Characters of a status text. */
const MAX_TEXT = 1024;
/** It is a header too, in which one character takes up to twelve bytes; beside violations there is less room. */
const MAX_TEXT_BYTES = { alone: 6 * 1024, besideViolations: 1024 };

/** How a refusal travels: status, public text, and what the status cannot say in trailers. */
export function statusFromError(error: DomainError): StatusObject {
  const metadata = new Metadata();
  metadata.set(ERROR_KIND, error.kind);
  metadata.set(ERROR_CODE, error.code);
  if (error.retryAfterSeconds !== undefined) metadata.set(RETRY_AFTER, String(error.retryAfterSeconds));
  if (error.length !== undefined) metadata.set(LENGTH, String(error.length));
  if (error.pending) metadata.set(PENDING, Buffer.from(JSON.stringify(error.pending)));
  if (error.violations) metadata.set(VIOLATIONS, encodeViolations(error.violations));
  return { code: ERROR_TABLE[error.kind].grpcStatus, details: textOfStatus(error), metadata };
}

function textOfStatus({ message, violations }: DomainError): string {
  // Half a character could not be written and would throw.
  const text = beginningOf(message, MAX_TEXT).toWellFormed();
  let room = violations ? MAX_TEXT_BYTES.besideViolations : MAX_TEXT_BYTES.alone;
  let end = 0;
  for (const character of text) {
    room -= encodeURI(character).length;
    if (room < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/**
 * The error that a failed call stands for. Only a status with an `error-kind` was put together by a
 * service of ours; the text of any other may name addresses and is kept in `cause`.
 */
export function errorFromStatus(failure: StatusObject): DomainError {
  const { metadata, code, details } = failure;
  const kind = textOf(metadata, ERROR_KIND);
  const errorCode = textOf(metadata, ERROR_CODE);
  const retryAfter = Number(textOf(metadata, RETRY_AFTER));
  const retry = Number.isInteger(retryAfter) && retryAfter > 0 ? retryAfter : undefined;

  if (!isErrorKind(kind)) {
    const bare = KIND_OF_BARE_STATUS[code] as DomainError['kind'] | undefined;
    const meant = bare ?? 'internal';
    return new DomainError({
      ...{ kind: meant, cause: errorOf(failure) },
      ...(meant === 'unavailable' && { retryAfterSeconds: 1 }),
    });
  }
  if (errorCode === missingCallerAssertion.code || errorCode === invalidCallerAssertion.code) {
    return new DomainError({ kind: 'internal', cause: errorOf(failure) });
  }
  const list = jsonIn(metadata, VIOLATIONS);
  const violations = Array.isArray(list) ? (list as Violation[]) : undefined;
  const pending = jsonIn(metadata, PENDING) as Pending | undefined;
  const length = textOf(metadata, LENGTH);
  return new DomainError({
    kind,
    message: details,
    cause: failure,
    ...(errorCode !== undefined && { code: errorCode }),
    ...(retry !== undefined && { retryAfterSeconds: retry }),
    ...(violations && { violations }),
    ...(pending && { pending }),
    ...(length !== undefined && { length: Number(length) }),
  });
}

/** A status that nobody expects, as an error that says in a log what it was. Those of grpc-js are errors already. */
const errorOf = (failure: StatusObject): Error =>
  failure instanceof Error ? failure : Object.assign(new Error(`${failure.code} ${failure.details}`), failure);

/** What a call ends with that reached nobody: as grpc-js says it, and our own channels. */
const REACHED_NOBODY =
  /^(?:No connection established|Name resolution failed|The call reached nobody|Connection refused)/;

/**
 * The error of an operation that changes something and is not to be repeated: where its connection was lost on the way, its caller is
 * told that it may have been done.
 */
export function errorOfChange(error: unknown): unknown {
  if (!(error instanceof DomainError) || error.kind !== 'unavailable' || !isBareStatus(error.cause)) return error;
  const { code, details } = error.cause;
  const isLost = code === status.UNAVAILABLE || code === status.CANCELLED;
  return isLost && !REACHED_NOBODY.test(details) ? outcomeUnknown({ cause: error.cause }) : error;
}

/** What a service writes into its log with the reason. Anything else that it answers is no more than a line of its calls. */
const LOGGED_KINDS: ReadonlySet<string> = new Set<DomainError['kind']>(['internal', 'unavailable', 'upstream_failed']);

/**
 * Whether an error is what another service has answered, as it stands, or was made of something that the service has logged: it has done so
 * with the same request id, where it knows the reason.
 */
export const isToldByService = (error: unknown): boolean => {
  if (!(error instanceof DomainError)) return false;
  const told = kindToldBehind(error.cause);
  return told !== undefined && (told === error.kind || LOGGED_KINDS.has(told));
};

function kindToldBehind(cause: unknown): string | undefined {
  if (cause instanceof DomainError) return kindToldBehind(cause.cause);
  if (typeof cause !== 'object' || cause === null || !('metadata' in cause)) return undefined;
  const kind = cause.metadata instanceof Metadata ? textOf(cause.metadata, ERROR_KIND) : undefined;
  return isErrorKind(kind) ? kind : undefined;
}

/** A status that no service of ours put together. */
const isBareStatus = (cause: unknown): cause is StatusObject =>
  typeof cause === 'object' &&
  cause !== null &&
  'metadata' in cause &&
  cause.metadata instanceof Metadata &&
  textOf(cause.metadata, ERROR_KIND) === undefined;

function textOf(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}

function encodeViolations(violations: readonly Violation[]): Buffer {
  const kept: string[] = [];
  let size = 2;
  for (const violation of violations) {
    let text = JSON.stringify(violation);
    // What the caller sent is the part that can be large, and the caller has it already.
    if (size + Buffer.byteLength(text) > MAX_VIOLATIONS) text = JSON.stringify({ ...violation, input: '[omitted]' });
    size += Buffer.byteLength(text) + 1;
    if (size > MAX_VIOLATIONS) break;
    kept.push(text);
  }
  return Buffer.from(`[${kept.join(',')}]`);
}

function jsonIn(metadata: Metadata, name: string): unknown {
  const [value] = metadata.get(name);
  if (!Buffer.isBuffer(value)) return undefined;
  try {
    return JSON.parse(value.toString('utf8'));
  } catch {
    return undefined;
  }
}
