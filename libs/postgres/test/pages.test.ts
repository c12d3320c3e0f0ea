import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { maxTotal, newId, pageBytes } from '@platform-backend/core';
import type { ThrowawayPostgres } from '@platform-backend/testing';
import fc from 'fast-check';
import { listPage, pageOf, type Database } from '../src/index.ts';
import { openShelves, preparedShelves } from './shelf-database.ts';

let server: ThrowawayPostgres;
let database: Database;
beforeAll(async () => {
  server = await preparedShelves();
  database = openShelves(server);
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

type Order = 'asc' | 'desc';

interface Shelf {
  id: string;
  organisation_id: string;
  name: string;
  created_at: Date;
  secret_hash?: Buffer | null;
}

const start = new Date('2026-03-01T12:00:00.000Z').getTime();

const shelf = (organisation: string, name: string, createdAt: Date): Shelf => ({
  id: newId(),
  organisation_id: organisation,
  name,
  created_at: createdAt,
});

const pageFrom = (organisation: string, cursor: string, limit: number, order: Order) =>
  database.tenant(organisation, (trx) => pageOf<Shelf>(trx<Shelf>('shelves').select('*'), { cursor, limit, order }));

async function walk(organisation: string, limit: number, order: Order): Promise<Shelf[][]> {
  const pages: Shelf[][] = [];
  let cursor = '';
  do {
    const page = await pageFrom(organisation, cursor, limit, order);
    pages.push(page.rows);
    cursor = page.nextCursor;
  } while (cursor !== '');
  return pages;
}

describe('the total of a list', () => {
  it('is counted exactly, and no further than anybody reads', async () => {
    const totalOf = (organisation: string) =>
      database.tenant(organisation, async (trx) => {
        const request = { limit: 1, cursor: '', includeTotal: true };
        const shelves = trx<Shelf>('shelves').select('*');
        return (await listPage(shelves, request, { order: 'asc', read: (rows) => rows })).total;
      });
    await database.tenant('org_total', (trx) =>
      trx.raw(
        `INSERT INTO shelves (id, organisation_id, name, created_at)
         SELECT gen_random_uuid(), 'org_total', 's' || i, now() FROM generate_series(1, ?) i`,
        [maxTotal - 1],
      ),
    );
    expect(await totalOf('org_total')).toBe(maxTotal - 1);
    const more = [1, 2].map((each) => shelf('org_total', `more ${each}`, new Date(start)));
    await database.tenant('org_total', (trx) => trx('shelves').insert(more));
    expect(await totalOf('org_total')).toBe(maxTotal);
  });
});

describe('pages of rows', () => {
  const organisation = 'org_pages';
  /** Three share each millisecond, so that the id must decide between them. */
  const ids = Array.from({ length: 10 }, () => newId()).sort();
  const rows = ids.map((id, index) => ({
    ...shelf(organisation, `shelf ${index}`, new Date(start + Math.floor(index / 3))),
    id,
  }));

  beforeAll(() => database.tenant(organisation, (trx) => trx('shelves').insert(rows)));

  it('show every row exactly once, in either direction', async () => {
    const walked = async (order: Order) => (await walk(organisation, 4, order)).flat().map(({ name }) => name);
    const names = rows.map(({ name }) => name);
    expect(await walked('asc')).toEqual(names);
    expect(await walked('desc')).toEqual(names.toReversed());
  });

  it('hold the columns of the query and nothing else', async () => {
    const { rows: found } = await pageFrom(organisation, '', 1, 'asc');
    expect(Object.keys(found[0] ?? {}).sort()).toEqual(
      ['id', 'organisation_id', 'name', 'secret_hash', 'copies', 'created_at'].sort(),
    );
  });

  it('end without a cursor when the last page is full', async () => {
    const page = await pageFrom(organisation, '', 10, 'desc');
    expect(page.rows).toHaveLength(10);
    expect(page.nextCursor).toBe('');
  });

  it('neither skip nor repeat a row when others come and go in between', async () => {
    const first = await pageFrom(organisation, '', 4, 'desc');
    await database.tenant(organisation, async (trx) => {
      await trx('shelves').insert(shelf(organisation, 'newcomer', new Date(start + 1_000)));
      await trx('shelves').where({ id: first.rows[3]?.id }).delete();
    });
    const second = await pageFrom(organisation, first.nextCursor, 4, 'desc');
    expect(second.rows.map(({ name }) => name)).toEqual(['shelf 5', 'shelf 4', 'shelf 3', 'shelf 2']);
  });
});

describe('pages of large rows', () => {
  /** Values that compress well, as lists of the same thing do: what counts is what they are once they are read. */
  const insert = (organisation: string, sizes: readonly number[]) =>
    database.tenant(organisation, (trx) =>
      trx('shelves').insert(
        sizes.map((size, index) => ({
          ...shelf(organisation, `shelf ${index}`, new Date(start + Math.floor(index / 3))),
          secret_hash: Buffer.alloc(size),
        })),
      ),
    );
  it('end early, so that none is larger than a page may be unless a single row is, and show every row once', async () => {
    const sizes = fc.oneof(fc.nat(2_000), fc.nat(pageBytes / 4), fc.integer({ min: pageBytes / 4, max: pageBytes }));
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(sizes, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 8 }),
        fc.constantFrom<Order>('asc', 'desc'),
        async (lengths, limit, order) => {
          const organisation = `org_large_${runs++}`;
          await insert(organisation, lengths);
          const pages = await walk(organisation, limit, order);
          const all = await database.tenant(organisation, (trx) =>
            trx('shelves')
              .select<{ id: string; bytes: number }[]>(
                'id',
                trx.raw('octet_length(row_to_json(shelves)::text) AS bytes'),
              )
              .orderBy([
                { column: 'created_at', order },
                { column: 'id', order },
              ]),
          );
          const bytes = new Map(all.map((row) => [row.id, row.bytes]));
          const bytesOf = (rows: readonly Shelf[]) => rows.reduce((sum, { id }) => sum + (bytes.get(id) ?? NaN), 0);
          expect(pages.flat().map(({ id }) => id)).toEqual(all.map(({ id }) => id));
          for (const page of pages) {
            expect(page.length).toBeLessThanOrEqual(limit);
            expect(page.length === 1 || bytesOf(page) <= pageBytes).toBe(true);
          }
          // No page ends for no reason: with the next row it would have been too long or too large.
          for (const [index, page] of pages.slice(0, -1).entries()) {
            const next = pages[index + 1]?.slice(0, 1) ?? [];
            expect(page.length === limit || bytesOf([...page, ...next]) > pageBytes).toBe(true);
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});
