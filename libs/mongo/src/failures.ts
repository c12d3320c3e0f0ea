import { busy, deadlineExceeded, DomainError, outcomeUnknown, storageFull, unavailable } from '@platform-backend/core';
import { mongo } from 'mongoose';

/** What a service wants said when a unique index refuses a document, by the name of the index. */
export type ConstraintErrors = Readonly<Record<string, () => DomainError>>;

const DUPLICATE_KEY = 11_000;
const MAX_TIME_EXPIRED = 50;
const DOCUMENT_REFUSED = 121;
const OUT_OF_DISK_SPACE = 14_031;
/** What the storage engine says where the server has no code for it. */
const NO_SPACE = /no space left on device|disk is full/i;

/** Another transaction was in the way; the same work may succeed at once. */
const COLLISIONS = new Set<unknown>([
  24, // LockTimeout
  112, // WriteConflict
  251, // NoSuchTransaction: the server gave it up
]);

/** Codes of a server that is going down, is not the primary any more, or is full. */
const OUTAGES = new Set<unknown>([
  6, // HostUnreachable
  7, // HostNotFound
  89, // NetworkTimeout
  91, // ShutdownInProgress
  189, // PrimarySteppedDown
  262, // ExceededTimeLimit, of a server that waits for others
  9001, // SocketException
  10058, // NotPrimaryNoSecondaryOk (legacy)
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
  OUT_OF_DISK_SPACE,
]);

/** The driver's own errors of a server that cannot be reached, or of a pool that is used up. */
const OUTAGE_CLASSES = [
  mongo.MongoNetworkError,
  mongo.MongoServerSelectionError,
  mongo.MongoNotConnectedError,
  mongo.MongoTopologyClosedError,
];

/** Not told apart by a class: the driver exports none for these. */
const OUTAGE_NAMES = new Set([
  'MongoWaitQueueTimeoutError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongooseServerSelectionError',
]);

const isError = (value: unknown): value is Error => Object.prototype.toString.call(value) === '[object Error]';

const codeOf = (error: unknown): unknown => (isError(error) && 'code' in error ? error.code : undefined);

const isServerError = (error: unknown): boolean => error instanceof mongo.MongoServerError;

/** Whether another transaction or an index that changes was in the way, so that the same may simply be run again. */
export const isCollision = (error: unknown): boolean => isError(error) && COLLISIONS.has(codeOf(error));

/** Whether the database could not be reached or the connection broke. What had been sent may have happened. */
export const isOutage = (error: unknown): boolean =>
  isError(error) &&
  (OUTAGES.has(codeOf(error)) ||
    OUTAGE_NAMES.has(error.name) ||
    OUTAGE_CLASSES.some((known) => error instanceof known));

/** Whether a unique index refused the document: this one, or any. */
export const isDuplicate = (error: unknown, index?: string): boolean =>
  codeOf(error) === DUPLICATE_KEY && (index === undefined || indexOf(error) === index);

/** `E11000 duplicate key error collection: content.reports index: reports_name dup key: { ... }` */
const DUPLICATE_TEXT = /^(.*? index: (\S+)) dup key: /s;

const indexOf = (error: unknown): string | undefined =>
  isError(error) ? DUPLICATE_TEXT.exec(error.message)?.[2] : undefined;

/**
 * The one place where a database failure becomes something a caller may hear: a unique index its domain error, an outage
 * or another transaction that stays in the way `unavailable`, a slow operation `deadline_exceeded`. Anything else is a
 * defect and stays as it is.
 */
export function translateFailure(error: unknown, constraintErrors: ConstraintErrors = {}): unknown {
  if (error instanceof DomainError || !isError(error)) return error;
  if (isDuplicate(error)) {
    const index = indexOf(error) ?? '';
    if (Object.hasOwn(constraintErrors, index)) return constraintErrors[index]?.();
    return withoutValues(error);
  }
  if (codeOf(error) === DOCUMENT_REFUSED || isRefusedBySchema(error)) return refusedWithoutValues(error);
  if (isCollision(error)) return busy({ cause: error });
  if (codeOf(error) === OUT_OF_DISK_SPACE || (isServerError(error) && NO_SPACE.test(error.message)))
    return storageFull({ cause: error });
  if (isOutage(error)) return unavailable(error);
  return codeOf(error) === MAX_TIME_EXPIRED ? deadlineExceeded(error) : error;
}

/**
 * The same of work that has changed something, or has begun to, outside of a transaction: where the connection broke it may have been
 * done. The driver has tried again by itself before.
 */
export const translateFailureOfChange = (error: unknown, constraintErrors?: ConstraintErrors): unknown =>
  error instanceof mongo.MongoNetworkError
    ? outcomeUnknown({ cause: error })
    : translateFailure(error, constraintErrors);

/** The same of a transaction, of which nobody may have heard whether it was committed. */
export const translateFailureOfCommit = (error: unknown): unknown =>
  error instanceof mongo.MongoError && error.hasErrorLabel('UnknownTransactionCommitResult')
    ? outcomeUnknown({ cause: error })
    : error;

/** Of a document that its schema refuses, before it is sent. */
const isRefusedBySchema = (error: Error): error is Error & { errors: Record<string, { kind?: string }> } =>
  error.name === 'ValidationError' && 'errors' in error;

/**
 * A document that is none, which is a defect. What refused it tells the values of its fields; which fields and by what rules is all that a
 * log needs.
 */
function refusedWithoutValues(error: Error): Error {
  const rules = isRefusedBySchema(error)
    ? Object.entries(error.errors).map(([path, { kind = 'invalid' }]) => `${path}: ${kind}`)
    : refusedFields(explanationOf(error as Refusal)?.['details']);
  return Object.assign(new Error(`a document is not as its schema has it: ${rules.join(', ') || 'unknown'}`), {
    name: 'DocumentRefused',
    code: DOCUMENT_REFUSED,
    stack: error.stack?.slice(error.stack.indexOf('\n    at ') + 1),
  });
}

interface Refusal {
  readonly errInfo?: mongo.Document;
  readonly writeErrors?: readonly Refusal[] | Refusal;
}

/** Of one write, or of the first of many that was refused. */
const explanationOf = (error: Refusal): mongo.Document | undefined =>
  error.errInfo ?? [error.writeErrors ?? []].flat()[0]?.errInfo;

/** `turn.payer.memberId: bsonType` of MongoDB's explanation. */
function refusedFields(explained: unknown, path: readonly string[] = []): string[] {
  if (Array.isArray(explained)) return explained.flatMap((one) => refusedFields(one, path));
  if (typeof explained !== 'object' || explained === null) return [];
  const { operatorName, propertyName, missingProperties, itemIndex, ...inner } = explained as mongo.Document;
  const at = [...path, ...[propertyName, itemIndex].filter((part) => part !== undefined).map(String)];
  const nested = ['schemaRulesNotSatisfied', 'propertiesNotSatisfied', 'details'].flatMap((name) =>
    refusedFields(inner[name], at),
  );
  if (nested.length > 0 || operatorName === undefined) return nested;
  const missing = Array.isArray(missingProperties) ? missingProperties.map(String) : [];
  if (missing.length > 0) return missing.map((name) => `${[...at, name].join('.')}: required`);
  return [`${at.join('.')}: ${String(operatorName)}`];
}

/** MongoDB quotes the refused key, the driver the whole document. Errors are logged, and values have no place there. */
function withoutValues(error: Error): Error {
  return Object.assign(new Error(DUPLICATE_TEXT.exec(error.message)?.[1] ?? 'a unique index refused a document'), {
    name: error.name,
    code: DUPLICATE_KEY,
    stack: error.stack?.slice(error.stack.indexOf('\n    at ') + 1),
  });
}
