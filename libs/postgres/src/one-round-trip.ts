import type { Knex } from 'knex';
import type { Client } from 'pg';
import type { PreparedStatement } from './database.ts';
import { ORGANISATION_SETTING } from './tenancy.ts';

const begin = { name: 'begin-transaction', text: 'BEGIN' };
const scope = { name: 'set-organisation', text: `SELECT set_config('${ORGANISATION_SETTING}', $1, true)` };
const commit = { name: 'commit-transaction', text: 'COMMIT' };

/** pg sends what it is given at once while this is set, and waits for each answer otherwise. */
type PipelinedClient = Client & { pipeline: boolean };

/** How knex lends its connections; it has no types for it. */
interface Lender {
  acquireConnection(): Promise<PipelinedClient>;
  releaseConnection(connection: PipelinedClient): Promise<void>;
}

/**
 * Begins, names the organisation, runs the statement and commits, all sent together. After a failure PostgreSQL takes
 * the COMMIT for a ROLLBACK, so a statement that failed has changed nothing.
 */
export async function inOneRoundTrip<Row>(
  pool: Knex,
  organisationId: string,
  statement: PreparedStatement,
  values: readonly unknown[],
): Promise<Row[]> {
  const lender = pool.client as Lender;
  const connection = await lender.acquireConnection();
  try {
    connection.pipeline = true;
    const [, , answer] = await allAnswers([
      connection.query(begin),
      connection.query({ ...scope, values: [organisationId] }),
      connection.query<object>({ ...statement, values: [...values] }),
      connection.query(commit),
    ]);
    // Only the caller knows what the statement answers.
    return answer.rows as Row[];
  } finally {
    connection.pipeline = false;
    await lender.releaseConnection(connection);
  }
}

/** Waits for every answer, also after a failure, so that the connection is free again; then throws the first failure. */
async function allAnswers<const T extends readonly Promise<unknown>[]>(
  asked: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(asked);
  return Promise.all(asked);
}
