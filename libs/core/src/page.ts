import { invalidField } from './domain-error.ts';

/** Which part of a list is wanted. */
export interface PageRequest {
  /** 1 to 200. */
  readonly limit: number;
  /** From the page before; empty for the first page. */
  readonly cursor: string;
  /** Counting costs a query of its own, so it is done only when asked for. */
  readonly includeTotal: boolean;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Empty on the last page. */
  readonly nextCursor: string;
  /** Of all pages; `maxTotal` where there are so many or more. */
  readonly total?: number;
}

/** A total is counted no further than this: beyond it nobody reads the number, and counting costs more with every row. */
export const maxTotal = 10_000;

/** The most that a page of several rows holds, in bytes of what is stored, as JSON or BSON. */
export const pageBytes = 512 * 1024;

/** Where a page ended: the sort key of its last item. */
export interface Position {
  /** Stored to the millisecond, as PostgreSQL's `timestamptz(3)` and MongoDB's dates are: a Date has no more. */
  createdAt: Date;
  id: string;
}

/** `2026-01-01T00:00:00.000Z,<id>`: raw text for `next_cursor`; the gateway seals it before a client sees it. */
export const positionText = ({ createdAt, id }: Position): string => `${createdAt.toISOString()},${id}`;

const POSITION = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z),(.+)$/s;

/** Throws `invalid` at ["query", "cursor"]. */
export function parsePosition(text: string): Position {
  const [, time = '', id = ''] = POSITION.exec(text) ?? [];
  const createdAt = new Date(time);
  if (id === '' || Number.isNaN(createdAt.getTime())) {
    throw invalidField(['query', 'cursor'], 'invalid cursor', text);
  }
  return { createdAt, id };
}
