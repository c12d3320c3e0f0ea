/** MongoDB's own codes and their names, as far as this server has a use for them. */
const names = {
  1: 'InternalError',
  2: 'BadValue',
  9: 'FailedToParse',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  15: 'Overflow',
  16: 'InvalidLength',
  18: 'AuthenticationFailed',
  20: 'IllegalOperation',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  54: 'NotSingleValueField',
  56: 'EmptyFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  112: 'WriteConflict',
  121: 'DocumentValidationFailure',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  225: 'TransactionTooOld',
  238: 'NotImplemented',
  251: 'NoSuchTransaction',
  256: 'TransactionCommitted',
  263: 'OperationNotSupportedInTransaction',
  291: 'NoQueryExecutionPlans',
  292: 'QueryExceededMemoryLimitNoDiskUseAllowed',
  334: 'MechanismUnavailable',
  11000: 'DuplicateKey',
  10334: 'BSONObjectTooLarge',
  11600: 'InterruptedAtShutdown',
  11601: 'Interrupted',
  14031: 'OutOfDiskSpace',
} as const;

/** Codes without a name of their own are answered as `Location<code>`, as MongoDB does. */
export const codeName = (code: number): string =>
  code in names ? names[code as keyof typeof names] : `Location${code}`;

export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly code: number;
  readonly labels: readonly string[];
  /** Further fields of the reply, such as `keyPattern`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: number,
    message: string,
    { labels = [], details = {} }: { labels?: readonly string[]; details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message);
    this.code = code;
    this.labels = labels;
    this.details = details;
  }
}

export const badValue = (message: string): ServerError => new ServerError(2, message);
export const failedToParse = (message: string): ServerError => new ServerError(9, message);
export const typeMismatch = (message: string): ServerError => new ServerError(14, message);
/** For what MongoDB has and this server does not. */
export const notImplemented = (what: string): ServerError =>
  new ServerError(238, `${what} is not implemented by the embedded server: use a MongoDB`);

const TRANSIENT = ['TransientTransactionError'];

export const writeConflict = (): ServerError =>
  new ServerError(112, 'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry', {
    labels: TRANSIENT,
  });

export const noSuchTransaction = (number: bigint): ServerError =>
  new ServerError(251, `Given transaction number ${number} does not match any in-progress transactions.`, {
    labels: TRANSIENT,
  });

/** SQLITE_FULL, also as the primary code of an extended one. */
const SQLITE_FULL = 13;

/** What the storage threw, as MongoDB would say it: a disk that is full, or a defect of this server. */
export function failureOfStorage(error: unknown): ServerError {
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  const message = error instanceof Error ? error.message : String(error);
  const isFull =
    code === 'ENOSPC' || code === 'EDQUOT' || (typeof errcode === 'number' && (errcode & 0xff) === SQLITE_FULL);
  return new ServerError(isFull ? 14_031 : 1, message);
}
