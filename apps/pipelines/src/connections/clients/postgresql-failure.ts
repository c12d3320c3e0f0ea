import { beginningOf } from '@platform-backend/core';
import pg from 'pg';
import { SourceFailure } from '../domain/source.ts';

const MAX_MESSAGE = 500;

/** What a server of PostgreSQL has against it, by its SQLSTATE. Undefined: it is no word of a server. */
export function postgresqlFailure(error: unknown): SourceFailure | undefined {
  if (error instanceof pg.DatabaseError) {
    const { code = '', message } = error;
    const said = beginningOf(message, MAX_MESSAGE);
    if (code === '57014')
      return new SourceFailure('timed_out', 'The database ended the query: it took too long', error);
    // Names of users alone are in what it says of these.
    if (code.startsWith('28')) return new SourceFailure('authentication_failed', said, error);
    if (code === '3D000') return new SourceFailure('source_not_found', said, error);
    if (/^(08|53|57|58)/.test(code)) return new SourceFailure('source_failed', said, error);
    return new SourceFailure('query_failed', said, error);
  }
  // The driver gives these no code.
  const message = error instanceof Error ? error.message : '';
  if (/SSL/.test(message)) return new SourceFailure('tls_failed', 'The server does not encrypt connections', error);
  if (/SASL|SCRAM|password/i.test(message))
    return new SourceFailure('authentication_failed', 'The server asks for the password in a way that fails', error);
  if (/timeout|terminated/i.test(message))
    return new SourceFailure('unreachable', 'It cannot be reached in time', error);
  return undefined;
}
