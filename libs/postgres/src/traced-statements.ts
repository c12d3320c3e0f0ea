import { endDatabaseSpan, startDatabaseSpan } from '@platform-backend/core/database-spans';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { nameOfStatement } from './statement-names.ts';

/** A query as pg drives it itself, such as one that is sent behind another one. */
interface Driven {
  readonly submit: unknown;
  callback?: Answered | undefined;
}
type Answered = (error: Error | undefined, ...answer: unknown[]) => void;
type Given = readonly [statement: string | { readonly text: string } | Driven, ...rest: unknown[]];

/** How knex makes connections; it has no types for it. */
interface Connecting {
  acquireRawConnection(): Promise<Client>;
}

/** Has every statement of a pool that is part of a trace run in a span. Where nothing is traced it costs a look for the present span. */
export function traceStatements(pool: Knex): void {
  const client = pool.client as Connecting;
  const connect = client.acquireRawConnection.bind(client);
  client.acquireRawConnection = async () => traced(await connect());
}

function traced(connection: Client): Client {
  // pg takes a statement in many ways, and so its types are of no use to whoever hands all of them on.
  const query = connection.query.bind(connection) as (...given: unknown[]) => unknown;
  const { host, port, database } = connection;
  const inSpan = (...given: Given): unknown => {
    const [statement, ...rest] = given;
    const text = typeof statement === 'string' ? statement : 'text' in statement ? statement.text : undefined;
    // An empty one asks the server for a sign of life.
    if (text === undefined || text === '') return query(...given);
    const span = startDatabaseSpan(() => ({
      ...{ system: 'postgresql', namespace: database ?? '', address: host, port },
      ...nameOfStatement(text),
    }));
    if (!span) return query(...given);
    const ended = (error: unknown): void => endDatabaseSpan(span, error ? failureOf(error) : undefined);
    const last = rest.at(-1);
    if (typeof last === 'function') return query(statement, ...rest.slice(0, -1), telling(last as Answered, ended));
    if (typeof statement === 'object' && 'submit' in statement) {
      if (statement.callback) statement.callback = telling(statement.callback, ended);
      else ended(undefined);
      return query(...given);
    }
    const answer = query(...given) as Promise<unknown>;
    answer.then(() => ended(undefined), ended);
    return answer;
  };
  return Object.assign(connection, { query: inSpan });
}

const telling =
  (answered: Answered, ended: (error: unknown) => void): Answered =>
  (error, ...answer) => {
    ended(error);
    answered(error, ...answer);
  };

const failureOf = (error: unknown): { code: string | undefined; name: string } => {
  const { code, name = 'Error' } = error as { readonly code?: unknown; readonly name?: string };
  return { code: typeof code === 'string' ? code : undefined, name };
};
