import type { Page } from '@platform-backend/core';

/** The answer of an rpc that lists: one page, under the name that the list has in the contract. */
export const listAnswer = <Name extends string, Item, Message>(
  name: Name,
  { items, nextCursor, total }: Page<Item>,
  message: (item: Item) => Message,
) =>
  ({ [name]: items.map((item) => message(item)), nextCursor, totalCount: total }) as Record<Name, Message[]> & {
    nextCursor: string;
    totalCount: number | undefined;
  };
