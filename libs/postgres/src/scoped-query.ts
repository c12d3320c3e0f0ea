import { Query, type Connection, type QueryConfig, type QueryResult } from 'pg';

type Answered = (error: Error | undefined, result: QueryResult) => void;

/** A query as pg drives it, of which its types show little: it sends itself and is handed every message of the answer. */
interface DrivenQuery {
  submit(connection: Connection): Error | null;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
}

const PgQuery = Query as unknown as new (config: QueryConfig, answered: Answered) => DrivenQuery;

/** A statement that was prepared on the connection before, with the values for it. */
export interface Preliminary {
  readonly name: string;
  readonly values: string[];
}

/**
 * A query that is sent together with a preliminary one before it, in one packet and as one transaction: PostgreSQL
 * runs everything up to the next Sync message as a transaction of its own, and pg sends that behind the query. When
 * either fails, both are undone. What the preliminary answers is dropped.
 */
export class ScopedQuery extends PgQuery {
  readonly #preliminary: Preliminary;
  #preliminaryDone = false;

  constructor(preliminary: Preliminary, config: QueryConfig, answered: Answered) {
    super(config, answered);
    this.#preliminary = preliminary;
  }

  override submit(connection: Connection): Error | null {
    const { name, values } = this.#preliminary;
    connection.stream.cork();
    try {
      connection.bind({ statement: name, values }, false);
      connection.execute(null, false);
      return super.submit(connection);
    } finally {
      connection.stream.uncork();
    }
  }

  override handleDataRow(message: unknown): void {
    if (this.#preliminaryDone) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (this.#preliminaryDone) super.handleCommandComplete(message, connection);
    this.#preliminaryDone = true;
  }
}
