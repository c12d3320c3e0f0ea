import { maxTotal, pageBytes, parsePosition, positionText, type Page, type PageRequest } from '@platform-backend/core';
import type { Model } from 'mongoose';
import { LIBRARY_FIELDS } from './schemas.ts';

export type Filter = Readonly<Record<string, unknown>>;

export interface Listing<Fields, Item> {
  readonly filter: Filter;
  /** `desc` is newest first. */
  readonly order: 'asc' | 'desc';
  /** The moment they are ordered by, `createdAt` unless given. */
  readonly by?: string;
  /** Fields that no item shows: they are not read, and count for nothing. */
  readonly without?: readonly string[];
  /** Turns the documents of one page into items, all at once so that what belongs to them is read in one query. */
  readonly read: (documents: readonly Fields[]) => readonly Item[] | Promise<readonly Item[]>;
}

/** What is measured of each document; it goes no further than this file. */
interface Measured {
  pageDocuments: number;
  pageBytes: number;
  pageTotal: number;
}

/**
 * One page of a query, ordered by a moment and _id, that ends at `limit` documents or at `pageBytes`, whichever comes first,
 * and has at least one, with the number of all, `maxTotal` at most, when it is asked for. Documents are never skipped or repeated by others
 * that come or go, and the cost does not grow with the depth of the page. Needs an index on the organisation, the fields
 * of the filter and these two. Documents are measured where they are, so that what does not fit is never sent.
 */
export async function pageOf<Fields extends { _id: string; createdAt: Date }, Item>(
  model: Model<Fields>,
  { limit, cursor, includeTotal }: PageRequest,
  { filter, order, by = 'createdAt', without = [], read }: Listing<Fields, Item>,
): Promise<Page<Item>> {
  const direction = order === 'asc' ? 1 : -1;
  const sort = { [by]: direction, _id: direction } as const;
  const found = await model.aggregate<Fields & Measured>([
    { $match: cursor === '' ? filter : { $and: [filter, behind(cursor, order, by)] } },
    { $sort: sort },
    // One more than asked for tells whether there is another page.
    { $limit: limit + 1 },
    { $unset: [...LIBRARY_FIELDS, ...without] },
    {
      $setWindowFields: {
        sortBy: sort,
        output: {
          pageDocuments: { $documentNumber: {} },
          pageBytes: { $sum: { $bsonSize: '$$ROOT' }, window: { documents: ['unbounded', 'current'] } },
          pageTotal: { $sum: 1, window: { documents: ['unbounded', 'unbounded'] } },
        },
      },
    },
    { $match: { $or: [{ pageDocuments: 1 }, { pageDocuments: { $lte: limit }, pageBytes: { $lte: pageBytes } }] } },
  ]);
  const last = found.at(-1);
  const goesOn = last !== undefined && last.pageDocuments < last.pageTotal;
  const documents = found.map(({ pageDocuments: _number, pageBytes: _bytes, pageTotal: _total, ...fields }) => fields);
  const items = await read(documents as unknown as Fields[]);
  const nextCursor = goesOn ? positionText({ createdAt: momentOf(last, by), id: last._id }) : '';
  return { items, nextCursor, ...(includeTotal && { total: await model.countDocuments(filter).limit(maxTotal) }) };
}

const momentOf = (document: object, by: string): Date => Reflect.get(document, by) as Date;

function behind(cursor: string, order: 'asc' | 'desc', by: string): Filter {
  const { createdAt: moment, id } = parsePosition(cursor);
  const further = order === 'asc' ? '$gt' : '$lt';
  return {
    $or: [{ [by]: { [further]: moment } }, { [by]: moment, _id: { [further]: id } }],
    // Bounds for the index, which a planner does not find in the line before.
    [by]: { [`${further}e`]: moment },
  };
}
