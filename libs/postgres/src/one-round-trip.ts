import type { Knex } from 'knex';
import type { Client, ClientConfig, QueryResult, Submittable } from 'pg';
import { breakOff, whileCallerWaits } from './abandoned-work.ts';
import { isPreparedForOtherColumns } from './failures.ts';
import { ScopedQuery } from './scoped-query.ts';
import { ORGANISATION_SETTING } from './tenancy.ts';

const scope = { name: 'set-organisation', text: `SELECT set_config('${ORGANISATION_SETTING}', $1, true)` };

/** A statement with `$1`, `$2`, ... for its values. */
export interface PreparedStatement {
  /** Unique for its text. */
  readonly name: string;
  readonly text: string;
  /** It changes rows by a function that it calls, and not by its own words. */
  readonly writes?: true;
}

/** How knex lends its connections; it has no types for it. */
interface Lender {
  acquireConnection(): Promise<Client>;
  releaseConnection(connection: Client): Promise<void>;
}

/** Where connections are lent, and how the server is reached besides, to end what nobody waits for any more. */
export interface LendingPool {
  readonly pool: Knex;
  readonly cancelling: ClientConfig;
  /** Called before the statement is sent: from then on it may have been carried out, whatever is heard of it. */
  readonly sent?: () => void;
}

/** What was prepared on a connection to go before other statements. */
const prepared = new WeakMap<Client, Set<string>>();

/**
 * Runs the statement behind a preliminary one, sent together. Outside a transaction both are one; with `BEGIN` before it the statement is the
 * first one of a transaction that stays open. The first time on a connection each is sent by itself.
 */
export async function runTogether(
  connection: Client,
  preliminary: PreparedStatement & { readonly values: string[] },
  statement: PreparedStatement,
  values: readonly unknown[],
  sent?: () => void,
): Promise<QueryResult> {
  const names = prepared.get(connection) ?? new Set();
  prepared.set(connection, names);
  const config = { name: statement.name, text: statement.text, values: [...values] };
  if (!names.has(preliminary.name)) {
    await connection.query({ ...preliminary });
    names.add(preliminary.name);
    if (preliminary.text.startsWith('BEGIN')) return connection.query(config);
  }
  sent?.();
  return new Promise<QueryResult>((resolve, reject) => {
    const query = new ScopedQuery(preliminary, config, (error, result) => (error ? reject(error) : resolve(result)));
    connection.query(query as unknown as Submittable);
  });
}

/**
 * Names the organisation and runs the statement, sent together and as one transaction. A statement that failed has
 * changed nothing.
 */
export async function runForTenant<Row>(
  lending: LendingPool,
  organisationId: string,
  statement: PreparedStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  return withConnection(lending, async (connection) => {
    const naming = { ...scope, values: [organisationId] };
    const { rows } = await runTogether(connection, naming, statement, values, lending.sent);
    // Only the caller knows what the statement answers.
    return rows as Row[];
  });
}

/** Runs the statement as a transaction of its own, in no organisation, with what these settings open to it. */
export const runWithoutTenant = <Row>(
  lending: LendingPool,
  settings: Readonly<Record<string, string>>,
  statement: PreparedStatement,
  values: readonly unknown[],
): Promise<Row[]> =>
  withConnection(lending, async (connection) => {
    const given = Object.entries(settings).flat();
    if (given.length === 0) {
      const { rows } = await connection.query({ ...statement, values: [...values] });
      return rows as Row[];
    }
    const calls = given.flatMap((_, at) => (at % 2 === 0 ? `set_config($${at + 1}, $${at + 2}, true)` : []));
    const opening = { name: `open-${calls.length}`, text: `SELECT ${calls.join(', ')}`, values: given };
    const { rows } = await runTogether(connection, opening, statement, values);
    return rows as Row[];
  });

/** Lends a connection of the pool for as long as somebody waits for what is done on it. */
export async function onConnection<T>(
  { pool, cancelling }: LendingPool,
  use: (connection: Client) => Promise<T>,
): Promise<T> {
  const lender = pool.client as Lender;
  const connection = await lender.acquireConnection();
  try {
    return await whileCallerWaits(connection, cancelling, () => use(connection));
  } catch (error) {
    // It would say so each time: a new connection prepares it for what there is now.
    if (isPreparedForOtherColumns(error)) await breakOff(connection);
    throw error;
  } finally {
    await lender.releaseConnection(connection);
  }
}

const withConnection = <T>(lending: LendingPool, use: (connection: Client) => Promise<T>): Promise<T> =>
  onConnection(lending, async (connection) => {
    try {
      return await use(connection);
    } catch (error) {
      // PostgreSQL may be about to close the connection. One more answer, or none, shows whether the next caller gets it.
      await connection.query('').catch(() => undefined);
      throw error;
    }
  });
