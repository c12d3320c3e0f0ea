import { maxTotal, type Page, type PageRequest } from '@platform-backend/core';
import type { Knex } from 'knex';
import { pageOf } from './keyset.ts';

interface Listing<Row, Item> {
  readonly order: 'asc' | 'desc';
  /** The sort columns, when the query joins tables that have them too. */
  readonly columns?: { createdAt: string; id: string };
  /** Turns the rows of one page into items, all at once so that what belongs to them is read in one query. */
  readonly read: (rows: readonly Row[]) => readonly Item[] | Promise<readonly Item[]>;
}

/** One page of a query, in the order (created_at, id), with the number of all rows, `maxTotal` at most, when it is asked for. */
export async function listPage<Row extends { created_at: Date; id: string }, Item>(
  query: Knex.QueryBuilder<object, Row[]> | Knex.QueryBuilder,
  { limit, cursor, includeTotal }: PageRequest,
  { read, ...order }: Listing<Row, Item>,
): Promise<Page<Item>> {
  const { rows, nextCursor } = await pageOf<Row>(query, { limit, cursor, ...order });
  const items = await read(rows);
  return { items, nextCursor, ...(includeTotal && { total: await countUpTo(maxTotal, query) }) };
}

/** How many rows the query finds, whatever it selects of them. */
export async function countOf(query: Knex.QueryBuilder): Promise<number> {
  const [counted] = (await query.clone().clearSelect().count({ rows: '*' })) as unknown as [{ rows: string }];
  return Number(counted.rows);
}

/** The same, but reads no more than so many. */
async function countUpTo(max: number, query: Knex.QueryBuilder): Promise<number> {
  const { client } = query as unknown as { client: Knex.Client };
  const found = query.clone().clearSelect().select(client.raw('1')).limit(max);
  const { rows } = (await client.raw('SELECT count(*)::int AS rows FROM ? AS found', [found])) as {
    rows: [{ rows: number }];
  };
  return rows[0].rows;
}
