import type { Knex } from 'knex';

/** A statement with `?` for its values. */
export interface PreparedInTransaction {
  /** Unique for its text. */
  readonly name: string;
  readonly text: string;
}

/** Runs a statement as part of a transaction; PostgreSQL parses it once per connection, and plans it a few times. */
export async function runPrepared<Row>(
  trx: Knex.Transaction,
  { name, text }: PreparedInTransaction,
  values: readonly Knex.RawBinding[],
): Promise<Row[]> {
  const { rows } = await trx.raw<{ rows: Row[] }>(text, values).options({ name });
  return rows;
}
