import type { Knex } from 'knex';
import type { Client, QueryResult, Submittable } from 'pg';
import { ScopedQuery } from './scoped-query.ts';
import { ORGANISATION_SETTING } from './tenancy.ts';

const scope = { name: 'set-organisation', text: `SELECT set_config('${ORGANISATION_SETTING}', $1, true)` };

/** A statement with `$1`, `$2`, ... for its values. */
export interface PreparedStatement {
  /** Unique for its text. */
  readonly name: string;
  readonly text: string;
}

/** How knex lends its connections; it has no types for it. */
interface Lender {
  acquireConnection(): Promise<Client>;
  releaseConnection(connection: Client): Promise<void>;
}

/** Connections on which `scope` is prepared. */
const prepared = new WeakSet<Client>();

/**
 * Names the organisation and runs the statement, sent together and as one transaction. A statement that failed has
 * changed nothing.
 */
export async function runForTenant<Row>(
  pool: Knex,
  organisationId: string,
  statement: PreparedStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  return withConnection(pool, async (connection) => {
    if (!prepared.has(connection)) {
      await connection.query({ ...scope, values: [organisationId] });
      prepared.add(connection);
    }
    const { rows } = await new Promise<QueryResult>((resolve, reject) => {
      const query = new ScopedQuery(
        { name: scope.name, values: [organisationId] },
        { ...statement, values: [...values] },
        (error, result) => (error ? reject(error) : resolve(result)),
      );
      connection.query(query as unknown as Submittable);
    });
    // Only the caller knows what the statement answers.
    return rows as Row[];
  });
}

/** Runs the statement as a transaction of its own, in no organisation. */
export const runWithoutTenant = <Row>(
  pool: Knex,
  statement: PreparedStatement,
  values: readonly unknown[],
): Promise<Row[]> =>
  withConnection(pool, async (connection) => {
    const { rows } = await connection.query({ ...statement, values: [...values] });
    return rows as Row[];
  });

async function withConnection<T>(pool: Knex, use: (connection: Client) => Promise<T>): Promise<T> {
  const lender = pool.client as Lender;
  const connection = await lender.acquireConnection();
  try {
    return await use(connection);
  } catch (error) {
    // PostgreSQL may be about to close the connection. One more answer, or none, shows whether the next caller gets it.
    await connection.query('').catch(() => undefined);
    throw error;
  } finally {
    await lender.releaseConnection(connection);
  }
}
