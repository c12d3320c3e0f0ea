import pg from 'pg';

export interface PgOptions {
  readonly databaseUrl: string;
  /** Connections to PostgreSQL. */
  readonly poolMax: number;
}

/**
 * What one writes with `pg`: BEGIN, the setting for row-level security, the statement, COMMIT. `one_by_one` awaits each; `together` has the same
 * four sent together and answered together.
 */
export function transactionsThroughPg(
  { databaseUrl, poolMax }: PgOptions,
  how: 'one_by_one' | 'together',
): (organisationId: string, statement: pg.QueryConfig) => Promise<pg.QueryResult> {
  const run = how === 'together' ? allTogether : oneAfterTheOther;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: poolMax,
    idleTimeoutMillis: 0,
    pipeline: how === 'together',
  });
  return async (organisationId, statement) => {
    const connection = await pool.connect();
    try {
      return await run(connection, organisationId, statement);
    } finally {
      connection.release();
    }
  };
}

type Transaction = (
  connection: pg.PoolClient,
  organisationId: string,
  statement: pg.QueryConfig,
) => Promise<pg.QueryResult>;

const scope = { name: 'scope', text: `SELECT set_config('app.organisation_id', $1, true)` };

const oneAfterTheOther: Transaction = async (connection, organisationId, statement) => {
  await connection.query('BEGIN');
  await connection.query({ ...scope, values: [organisationId] });
  const result = await connection.query(statement);
  await connection.query('COMMIT');
  return result;
};

const allTogether: Transaction = async (connection, organisationId, statement) => {
  const [, , result] = await Promise.all([
    connection.query('BEGIN'),
    connection.query({ ...scope, values: [organisationId] }),
    connection.query(statement),
    connection.query('COMMIT'),
  ]);
  return result;
};
