import { types, type ClientConfig } from 'pg';

type TypeId = (typeof types.builtins)[keyof typeof types.builtins];

export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database`; `sslmode` and the like are honoured. */
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** The server ends a statement that runs longer; 0 means never. */
  statementTimeoutMs?: number;
  /** The server ends a statement that waits longer for a lock; 0 means never. */
  lockTimeoutMs?: number;
  /** The server ends a session that holds a transaction open without working in it; 0 means never. */
  idleInTransactionTimeoutMs?: number;
  /** How long to wait for the server to accept a connection. */
  connectTimeoutMs?: number;
}

const TEXT_TYPES: ReadonlySet<TypeId> = new Set([
  types.builtins.INT8,
  types.builtins.NUMERIC,
  types.builtins.DATE,
  types.builtins.TIMESTAMP,
]);
const asText = (value: string): string => value;

/**
 * How values arrive in JavaScript, everywhere in the platform:
 * - `timestamptz` is a `Date`; columns have precision 3, because a Date has no microseconds.
 * - `bigint` and `numeric` are decimal strings, so that nothing is rounded; sums use `BigInt(text)`.
 * - `date` and `timestamp` (without zone) stay text: they name no moment, so no Date is made up for them.
 * - `json` and `jsonb` are parsed values.
 * A `bigint`, a `Date` and a plain object may be written as they are; an array meant as JSON must be
 * stringified by the caller, since pg would write it as a PostgreSQL array.
 */
export const valueTypes: NonNullable<ClientConfig['types']> = {
  getTypeParser: (type: TypeId, format: 'text' | 'binary' = 'text'): unknown =>
    TEXT_TYPES.has(type) ? asText : types.getTypeParser(type, format),
};

/** Without it the system asks after two hours: whoever listens on a connection that was cut without a word hears nothing until then. */
const KEPT_ALIVE_AFTER_MS = 10_000;

export function clientConfig({
  url,
  applicationName,
  statementTimeoutMs = 0,
  lockTimeoutMs = 0,
  idleInTransactionTimeoutMs = 0,
  connectTimeoutMs = 5_000,
}: ConnectionOptions): ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEPT_ALIVE_AFTER_MS,
    types: valueTypes,
  };
}
