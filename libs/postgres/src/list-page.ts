import type { Page, PageRequest } from '@platform-backend/core';
import type { Knex } from 'knex';
import { pageOf } from './keyset.ts';

interface Listing<Row, Item> {
  readonly order: 'asc' | 'desc';
  /** The sort columns, when the query joins tables that have them too. */
  readonly columns?: { createdAt: string; id: string };
  /** Turns the rows of one page into items, all at once so that what belongs to them is read in one query. */
  readonly read: (rows: readonly Row[]) => readonly Item[] | Promise<readonly Item[]>;
}

/** One page of a query, in the order (created_at, id), with the number of all rows when it is asked for. */
export async function listPage<Row extends { created_at: Date; id: string }, Item>(
  query: Knex.QueryBuilder<object, Row[]> | Knex.QueryBuilder,
  { limit, cursor, includeTotal }: PageRequest,
  { read, ...order }: Listing<Row, Item>,
): Promise<Page<Item>> {
  const { rows, nextCursor } = await pageOf<Row>(query, { limit, cursor, ...order });
  const items = await read(rows);
  return { items, nextCursor, ...(includeTotal && { total: await countOf(query) }) };
}

/** How many rows the query finds, whatever it selects of them. */
export async function countOf(query: Knex.QueryBuilder): Promise<number> {
  const [counted] = (await query.clone().clearSelect().count({ rows: '*' })) as unknown as [{ rows: string }];
  return Number(counted.rows);
}
