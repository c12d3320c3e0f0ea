/**
 * Every way an operation can refuse or fail. The kind alone decides the gRPC status and the HTTP
 * status, so a rule never needs to know a transport.
 */
export type ErrorKind =
  /** No failure, and no answer yet: it was begun, is not over, and `pending` says where to ask for it. */
  | 'accepted'
  | 'invalid'
  /** It cannot be read, or is not what it claims to be: no rule of a field can be named. */
  | 'malformed'
  | 'unauthenticated'
  | 'payment_required'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  /** What was to be changed is no longer as its caller has read it. */
  | 'precondition_failed'
  | 'too_large'
  /** A part of a file was asked for that lies behind its end. */
  | 'range_not_satisfiable'
  | 'rate_limited'
  | 'unsupported_media'
  | 'upstream_failed'
  | 'unavailable'
  /** This platform lacks what it takes, and will until somebody installs or configures that: nothing was begun. */
  | 'not_provided'
  | 'deadline_exceeded'
  /** A defect on our side, reported by another service. Never thrown on purpose. */
  | 'internal';

/** What a caller reads when the place that refused has nothing more exact to say (D20). */
export const DEFAULT_ERROR_TEXT: Readonly<Record<ErrorKind, string>> = {
  accepted: 'Accepted',
  invalid: 'Invalid request',
  malformed: 'Bad Request',
  unauthenticated: 'Not authenticated',
  payment_required: 'Credit limit reached',
  forbidden: 'Not enough permissions',
  not_found: 'Not Found',
  conflict: 'Conflict',
  precondition_failed: 'Precondition Failed',
  too_large: 'Request body too large',
  range_not_satisfiable: 'Range Not Satisfiable',
  rate_limited: 'Too many requests',
  unsupported_media: 'Unsupported Media Type',
  upstream_failed: 'Bad Gateway',
  unavailable: 'Service Unavailable',
  not_provided: 'Service Unavailable',
  deadline_exceeded: 'Gateway Timeout',
  internal: 'Internal Server Error',
};

/** One broken rule of a request, in the shape and vocabulary of FastAPI's 422 items. */
export interface Violation {
  type: string;
  /** Where: `['body', 'name']`, `['query', 'limit']`; list indices are numbers. */
  loc: readonly (string | number)[];
  msg: string;
  input?: unknown;
  ctx?: Record<string, unknown>;
}

/** Something that was begun and is not over. */
export interface Pending {
  readonly id: string;
  /** How it stands, in words of what it is. */
  readonly state: string;
  /** The path where to ask what has become of it. */
  readonly location: string;
  /** Ids of what it belongs to, by the names that they have in answers. */
  readonly related?: Readonly<Record<string, string>>;
}

export interface DomainErrorDetails {
  kind: ErrorKind;
  /** Stable and machine-readable, in snake_case. The kind itself unless something more exact is known. */
  code?: string;
  /** PUBLIC: shown to the caller word for word. */
  message?: string;
  violations?: readonly Violation[];
  /** Of what was accepted. */
  pending?: Pending;
  /** Earliest sensible retry, in whole seconds. */
  retryAfterSeconds?: number;
  /** Of a file of which no such range is there, in bytes. */
  length?: number;
  /** PRIVATE: goes to the log, never to a caller. */
  cause?: unknown;
}

/**
 * A refusal or failure that a caller may be told about. `message` is public text; whatever must
 * stay inside belongs in `cause`.
 */
export class DomainError extends Error {
  override readonly name: string = 'DomainError';
  readonly kind: ErrorKind;
  readonly code: string;
  // Declared only: a field that was not given shall not be there as undefined.
  declare readonly violations?: readonly Violation[];
  declare readonly pending?: Pending;
  declare readonly retryAfterSeconds?: number;
  declare readonly length?: number;

  constructor(details: DomainErrorDetails) {
    super(
      details.message ?? DEFAULT_ERROR_TEXT[details.kind],
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.kind = details.kind;
    this.code = details.code ?? details.kind;
    if (details.violations) this.violations = details.violations;
    if (details.pending) this.pending = details.pending;
    if (details.retryAfterSeconds !== undefined) this.retryAfterSeconds = details.retryAfterSeconds;
    if (details.length !== undefined) this.length = details.length;
  }
}

/** `notFound('Client group')` says "Client group not found" with code `client_group_not_found`. */
export const notFound = (thing: string): DomainError =>
  new DomainError({ kind: 'not_found', code: `${snakeCase(thing)}_not_found`, message: `${thing} not found` });

/** The request is well formed, but the present state does not allow it. */
export const conflict = (code: string, message: string): DomainError =>
  new DomainError({ kind: 'conflict', code, message });

/** The caller is known and may not do this. */
export const forbidden = (code?: string, message?: string): DomainError => refusal('forbidden', code, message);

/** Nobody we can trust is calling. */
export const unauthenticated = (code?: string, message?: string, cause?: unknown): DomainError =>
  refusal('unauthenticated', code, message, cause);

/** A value that has its form and cannot be all the same, told as the contract's own checks tell it. */
export const fieldViolation = (
  loc: Violation['loc'],
  problem: string,
  input?: unknown,
  ctx?: Violation['ctx'],
): Violation => ({
  type: 'value_error',
  loc,
  msg: `Value error, ${problem}`,
  ...(input !== undefined && { input }),
  ...(ctx && { ctx }),
});

export const invalidField = (...violation: Parameters<typeof fieldViolation>): DomainError =>
  invalid([fieldViolation(...violation)]);

export const invalid = (violations: readonly Violation[]): DomainError =>
  new DomainError({ kind: 'invalid', code: 'validation_failed', violations });

/** What was sent is not what it has to be, as a whole. */
export const malformed = (code: string, message: string, cause?: unknown): DomainError =>
  refusal('malformed', code, message, cause);

export const paymentRequired = (code?: string, message?: string): DomainError =>
  refusal('payment_required', code, message);

export const tooLarge = (message?: string): DomainError => refusal('too_large', undefined, message);

/** A part was asked for that a file of so many bytes does not have. */
export const rangeNotSatisfiable = (length: number): DomainError =>
  new DomainError({ kind: 'range_not_satisfiable', length });

export const unsupportedMedia = (message?: string): DomainError => refusal('unsupported_media', undefined, message);

export const rateLimited = (retryAfterSeconds: number): DomainError =>
  new DomainError({ kind: 'rate_limited', retryAfterSeconds });

/** An outside provider answered with a failure, or with something we cannot use. */
export const upstreamFailed = (cause: unknown, message?: string): DomainError =>
  refusal('upstream_failed', undefined, message, cause);

/** A part of the platform cannot be reached now; the same request may succeed later. */
export const unavailable = (cause: unknown, retryAfterSeconds = 1): DomainError =>
  new DomainError({ kind: 'unavailable', retryAfterSeconds, cause });

/**
 * Whoever runs this platform reads it first, so the message says what to do. Unlike what is unavailable it is an answer: to
 * ask again, or to wait, changes nothing.
 */
export const notProvided = (code: string, message: string): DomainError =>
  new DomainError({ kind: 'not_provided', code, message, retryAfterSeconds: 3600 });

export const deadlineExceeded = (cause?: unknown): DomainError => new DomainError({ kind: 'deadline_exceeded', cause });

/** Whether somebody was told that what they asked for is not there. */
export const isNotFound = (error: unknown): boolean => error instanceof DomainError && error.kind === 'not_found';

/**
 * Whether a part of the platform could not be reached or did not answer in time: whoever can do without its answer
 * then goes on, and every other refusal is an answer.
 */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof DomainError && (error.kind === 'unavailable' || error.kind === 'deadline_exceeded');

function refusal(kind: ErrorKind, code?: string, message?: string, cause?: unknown): DomainError {
  return new DomainError({
    kind,
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
    ...(cause !== undefined && { cause }),
  });
}

const snakeCase = (words: string): string =>
  words
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_');
