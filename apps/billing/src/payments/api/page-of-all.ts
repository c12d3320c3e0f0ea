import type { Page, PageRequest } from '@platform-backend/core';

/** A page of a list that is short enough to be read as a whole; the position is the number of items before it. */
export function pageOfAll<Item>(items: readonly Item[], { limit, cursor, includeTotal }: PageRequest): Page<Item> {
  const start = Number(cursor) || 0;
  const end = start + limit;
  return {
    items: items.slice(start, end),
    nextCursor: end < items.length ? String(end) : '',
    ...(includeTotal && { total: items.length }),
  };
}
