import { status } from '@grpc/grpc-js';
import { DEFAULT_ERROR_TEXT, type ErrorKind } from '@platform-backend/core';

export interface ErrorRow {
  /** How a service says it. */
  readonly grpcStatus: status;
  /** How the gateway says it (D20). */
  readonly httpStatus: number;
  /** What it says when there is nothing more exact. */
  readonly text: string;
}

const row = (kind: ErrorKind, grpcStatus: status, httpStatus: number): ErrorRow => ({
  grpcStatus,
  httpStatus,
  text: DEFAULT_ERROR_TEXT[kind],
});

/** The one table of how each kind of error looks on each wire. */
export const ERROR_TABLE: Readonly<Record<ErrorKind, ErrorRow>> = {
  // To a client over gRPC it is a call without an answer, which it should not simply repeat.
  accepted: row('accepted', status.ABORTED, 202),
  invalid: row('invalid', status.INVALID_ARGUMENT, 422),
  malformed: row('malformed', status.INVALID_ARGUMENT, 400),
  unauthenticated: row('unauthenticated', status.UNAUTHENTICATED, 401),
  payment_required: row('payment_required', status.FAILED_PRECONDITION, 402),
  forbidden: row('forbidden', status.PERMISSION_DENIED, 403),
  not_found: row('not_found', status.NOT_FOUND, 404),
  conflict: row('conflict', status.FAILED_PRECONDITION, 409),
  precondition_failed: row('precondition_failed', status.FAILED_PRECONDITION, 412),
  too_large: row('too_large', status.OUT_OF_RANGE, 413),
  range_not_satisfiable: row('range_not_satisfiable', status.OUT_OF_RANGE, 416),
  unsupported_media: row('unsupported_media', status.INVALID_ARGUMENT, 415),
  rate_limited: row('rate_limited', status.RESOURCE_EXHAUSTED, 429),
  internal: row('internal', status.INTERNAL, 500),
  // UNKNOWN is gRPC's word for an error from a foreign address space. UNAVAILABLE would invite a retry.
  upstream_failed: row('upstream_failed', status.UNKNOWN, 502),
  unavailable: row('unavailable', status.UNAVAILABLE, 503),
  // As well; and whoever hears of it is not to wait for it.
  not_provided: row('not_provided', status.FAILED_PRECONDITION, 503),
  deadline_exceeded: row('deadline_exceeded', status.DEADLINE_EXCEEDED, 504),
};

/**
 * What a bare gRPC status means: one that no service of ours put together, but a proxy or the
 * library itself, so that it carries no `error-kind`.
 */
export const KIND_OF_BARE_STATUS: Readonly<Record<status, ErrorKind>> = {
  [status.OK]: 'internal',
  [status.CANCELLED]: 'unavailable',
  [status.UNKNOWN]: 'internal',
  [status.INVALID_ARGUMENT]: 'invalid',
  [status.DEADLINE_EXCEEDED]: 'deadline_exceeded',
  [status.NOT_FOUND]: 'not_found',
  [status.ALREADY_EXISTS]: 'conflict',
  [status.PERMISSION_DENIED]: 'forbidden',
  // grpc-js says this when a message is larger than our own limit, which nobody outside can do anything about.
  [status.RESOURCE_EXHAUSTED]: 'internal',
  [status.FAILED_PRECONDITION]: 'conflict',
  [status.ABORTED]: 'conflict',
  [status.OUT_OF_RANGE]: 'invalid',
  // A service of an older version than ours does not have the operation yet.
  [status.UNIMPLEMENTED]: 'unavailable',
  [status.INTERNAL]: 'internal',
  [status.UNAVAILABLE]: 'unavailable',
  [status.DATA_LOSS]: 'internal',
  // Between services it means that our own assertion was refused, which no user can mend.
  [status.UNAUTHENTICATED]: 'internal',
};

export const isErrorKind = (text: unknown): text is ErrorKind =>
  typeof text === 'string' && Object.hasOwn(ERROR_TABLE, text);

/** The HTTP status of an error kind. */
export const httpStatusOf = (kind: ErrorKind): number => ERROR_TABLE[kind].httpStatus;
