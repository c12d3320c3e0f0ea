import { pageBytes, parsePosition, positionText } from '@platform-backend/core';
import type { Knex } from 'knex';

export interface PageRequest {
  /** From the page before; absent or empty for the first page. */
  cursor?: string | undefined;
  /** At most this many rows. */
  limit: number;
  /** `desc` is newest first. */
  order?: 'asc' | 'desc';
  /** The sort columns, when they have other names or need a table's name before them. */
  columns?: { createdAt: string; id: string };
}

export interface Page<Row> {
  rows: Row[];
  /** Empty on the last page. */
  nextCursor: string;
}

/** What is measured of each row; it goes no further than this file. */
interface Measured {
  page_rows: string;
  page_bytes: string;
  /** Whether there is a row behind it. */
  page_goes_on: boolean;
}

/**
 * Runs `query` for one page, ordered by (created_at, id), that ends at `limit` rows or at `pageBytes`, whichever comes
 * first, and has at least one row. Rows are never skipped or repeated by rows that come or go elsewhere, and the cost
 * does not grow with the depth of the page. Needs an index that ends in these two columns; the query must select both
 * as `created_at` and `id`.
 */
export async function pageOf<Row extends { created_at: Date; id: string }>(
  query: Knex.QueryBuilder,
  { cursor, limit, order = 'desc', columns = { createdAt: 'created_at', id: 'id' } }: PageRequest,
): Promise<Page<Row>> {
  const names = [columns.createdAt, columns.id];
  const paged = query.clone();
  if (cursor) {
    const { createdAt, id } = parsePosition(cursor);
    void paged.whereRaw(`(??, ??) ${order === 'asc' ? '>' : '<'} (?, ?)`, [...names, createdAt, id]);
  }
  void paged.orderBy(names.map((column) => ({ column, order })));
  // One row more than asked for tells whether there is another page.
  const found = await withinBytes<Row>(paged.limit(limit + 1), limit, order);
  const last = found.at(-1);
  return {
    rows: found.map(({ page_rows: _rows, page_bytes: _bytes, page_goes_on: _goesOn, ...row }) => row as unknown as Row),
    nextCursor: last?.page_goes_on ? positionText({ createdAt: last.created_at, id: last.id }) : '',
  };
}

/** Rows are measured where they are, so that what does not fit is never sent. */
async function withinBytes<Row>(query: Knex.QueryBuilder, limit: number, order: 'asc' | 'desc') {
  // Runs where the query would, in its transaction; knex has no type for it.
  const { client } = query as unknown as { client: Knex.Client };
  const { rows } = (await client.raw(
    `SELECT * FROM (
       SELECT candidate.*, row_number() OVER so_far AS page_rows,
              sum(octet_length(row_to_json(candidate)::text)) OVER so_far AS page_bytes,
              lead(true, 1, false) OVER so_far AS page_goes_on
       FROM ? AS candidate
       WINDOW so_far AS (ORDER BY created_at ${order}, id ${order} ROWS UNBOUNDED PRECEDING)
     ) AS measured
     WHERE page_rows = 1 OR (page_rows <= ? AND page_bytes <= ?)
     ORDER BY page_rows`,
    [query, limit, pageBytes],
  )) as { rows: (Row & Measured)[] };
  return rows;
}
