import { describe, expect, it } from '@jest/globals';
import { bigintColumn, columns, jsonColumn, nullable, readOnlyColumn } from './columns.ts';

interface Shelf {
  readonly id: string;
  readonly boughtAt: Date | null;
  readonly price: bigint;
  readonly labels: readonly string[];
  readonly bookCount: number;
  readonly owner: Owner | null;
}

interface Owner {
  readonly id: string;
  readonly limit: bigint | null;
}

const shelf = columns<Shelf>({
  id: 'id',
  boughtAt: 'bought_at',
  price: bigintColumn('price_minor'),
  labels: jsonColumn('labels'),
  bookCount: readOnlyColumn('book_count'),
  owner: nullable(columns<Owner>({ id: 'owner_id', limit: bigintColumn('owner_limit') })),
});

const noon = new Date('2026-05-01T12:00:00.000Z');
const row = {
  id: 's1',
  bought_at: noon,
  price_minor: '9007199254740993',
  labels: ['red'],
  book_count: 3,
  owner_id: 'u1',
  owner_limit: null,
};
const read: Shelf = {
  id: 's1',
  boughtAt: noon,
  price: 9007199254740993n,
  labels: ['red'],
  bookCount: 3,
  owner: { id: 'u1', limit: null },
};

describe('the columns of an object', () => {
  it('turn a row into the object, large numbers without loss', () => {
    expect(shelf.read(row)).toEqual(read);
  });

  it('turn the object into the row, but for what is only read', () => {
    const { book_count: _counted, ...written } = row;
    expect(shelf.write(read)).toEqual({ ...written, labels: '["red"]' });
  });

  it('are all null where a part is missing, and the part is missing where they are all null', () => {
    const alone = { ...read, boughtAt: null, owner: null };
    const empty = { ...row, bought_at: null, owner_id: null };
    expect(shelf.read(empty)).toEqual(alone);
    expect(shelf.write(alone)).toMatchObject({ bought_at: null, owner_id: null, owner_limit: null });
  });

  it('can be named in a query', () => {
    expect(shelf.names).toEqual(Object.keys(row));
  });

  it('have to be chosen for large numbers, which a plain column would answer as text', () => {
    // @ts-expect-error -- the test is that this is no program
    columns<Pick<Shelf, 'price'>>({ price: 'price_minor' });
  });
});
