import type { Knex } from 'knex';
import type { Columns } from './columns.ts';

/** What the first row of a query says, or what is thrown where there is none. */
export async function firstOrThrow<Read>(
  query: Knex.QueryBuilder,
  { names, read }: Pick<Columns<Read>, 'names' | 'read'>,
  notFound: () => Error,
): Promise<Read> {
  const row = await query.first<object | undefined>(names);
  if (!row) throw notFound();
  return read(row);
}
