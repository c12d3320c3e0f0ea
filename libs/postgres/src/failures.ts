import { busy, deadlineExceeded, DomainError, storageFull, unavailable } from '@platform-backend/core';

/** Unlike instanceof, true as well for an error made outside the realm this code runs in. */
const isError = (value: unknown): value is Error => Object.prototype.toString.call(value) === '[object Error]';

/** What a service wants said when a named constraint (unique, check, foreign key, exclusion) refuses a row. */
export type ConstraintErrors = Readonly<Record<string, () => DomainError>>;

/** Another transaction was in the way; the same work may succeed at once. */
const COLLISIONS = new Set(['40001', '40P01']);

/** The server ended our statement because it took too long. */
const QUERY_CANCELED = '57014';

/** Another transaction kept a lock for longer than `lock_timeout`. Whoever waited that long is not made to wait again. */
const LOCK_NOT_AVAILABLE = '55P03';

const DISK_FULL = '53100';

/** SQLSTATEs of a server that cannot be reached, is going down, is coming up or is full. */
const OUTAGES = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  DISK_FULL,
  '53200', // out_of_memory
  '53300', // too_many_connections
  '58030', // io_error
]);

const NETWORK_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** pg and knex report these without a code, only by their text, which knex prefixes with the statement. */
const CONNECTION_TEXTS =
  /(^| - )(Connection (ended|terminated)|timeout expired$|Unable to acquire a connection)|not queryable/;

const codeOf = (error: unknown): string | undefined =>
  isError(error) && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Whether a serialisation failure or a deadlock ended the transaction, so that it may simply be run again. */
export const isCollision = (error: unknown): boolean => COLLISIONS.has(codeOf(error) ?? '');

const LOCKS_NOT_HAD = new Set([LOCK_NOT_AVAILABLE, QUERY_CANCELED]);

/** Whether others kept locks for too long, one or several together, or waited for one of ours in turn. */
export const isLockTaken = (error: unknown): boolean => isCollision(error) || LOCKS_NOT_HAD.has(codeOf(error) ?? '');

/**
 * Whether a connection has prepared the statement for a table or function that answers other columns since. Nothing was done, and another
 * connection may do it.
 */
export const isPreparedForOtherColumns = (error: unknown): boolean =>
  codeOf(error) === '0A000' && (error as { readonly routine?: unknown }).routine === 'RevalidateCachedQuery';

/** Whether the database could not be reached or the connection broke. What had been sent may have happened. */
export function isOutage(error: unknown): boolean {
  if (!isError(error)) return false;
  // A host with several addresses fails with one error for each.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isOutage);
  const code = codeOf(error);
  if (code !== undefined) return OUTAGES.has(code) || NETWORK_ERRORS.has(code) || code.startsWith('08');
  return error.name === 'KnexTimeoutError' || CONNECTION_TEXTS.test(error.message);
}

/**
 * The one place where a database failure becomes something a caller may hear: a named constraint its
 * domain error, an outage or a lock that somebody keeps `unavailable`, a slow statement `deadline_exceeded`.
 * Anything else is a defect and stays as it is.
 */
export function translateFailure(error: unknown, constraintErrors: ConstraintErrors = {}): unknown {
  if (error instanceof DomainError || !isError(error)) return error;
  removeRowValues(error);
  const refusal = refusalFor(error, constraintErrors);
  if (refusal) return refusal;
  if (codeOf(error) === DISK_FULL) return storageFull({ cause: error });
  if (isOutage(error) || isCollision(error)) return unavailable(error);
  if (codeOf(error) === LOCK_NOT_AVAILABLE) return busy({ cause: error });
  return codeOf(error) === QUERY_CANCELED ? deadlineExceeded(error) : error;
}

function refusalFor(error: Error, constraintErrors: ConstraintErrors): DomainError | undefined {
  if (!codeOf(error)?.startsWith('23') || !('constraint' in error) || typeof error.constraint !== 'string') return;
  return Object.hasOwn(constraintErrors, error.constraint) ? constraintErrors[error.constraint]?.() : undefined;
}

/** PostgreSQL quotes the refused row, or its key, in the detail. Errors are logged, and values have no place there. */
function removeRowValues(error: Error): void {
  if ('detail' in error) delete error.detail;
}
