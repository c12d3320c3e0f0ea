import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, notFound } from '@platform-backend/core';
import type { ThrowawayPostgres } from '@platform-backend/testing';
import { advisoryLock, columns, firstOrThrow, type Database, type Knex } from '../src/index.ts';
import { openShelves, preparedShelves } from './shelf-database.ts';

let server: ThrowawayPostgres;
let database: Database;
let replica: Database;
beforeAll(async () => {
  server = await preparedShelves();
  database = openShelves(server);
  replica = openShelves(server);
});
afterAll(async () => {
  await database.close();
  await replica.close();
  await server.drop();
});

describe('an advisory lock', () => {
  /** As versions of before have written it out. */
  const isFree = (organisationId: string): Promise<boolean> =>
    replica.tenant(organisationId, async (trx) => {
      const statement = "SELECT pg_try_advisory_xact_lock(hashtextextended('shelves of ' || ?, 0)) AS free";
      const { rows } = await trx.raw<{ rows: [{ free: boolean }] }>(statement, [organisationId]);
      return rows[0].free;
    });

  it('is held to the end of the transaction, against those as well who write it out', async () => {
    const held = await database.tenant('org_1', async (trx) => {
      await advisoryLock(trx, 'shelves of org_1');
      return [await isFree('org_1'), await isFree('org_2')];
    });
    expect(held).toEqual([false, true]);
    expect(await isFree('org_1')).toBe(true);
  });
});

describe('the first row of a query', () => {
  const shelf = columns<{ id: string; name: string }>({ id: 'id', name: 'name' });
  const named = (trx: Knex.Transaction, name: string) =>
    firstOrThrow(trx('shelves').where({ name }), shelf, () => notFound('shelf'));

  it('is read as its columns say, and without one the given error is thrown', async () => {
    const made = { id: newId(), name: 'history' };
    await database.tenant('org_1', (trx) => trx('shelves').insert({ ...made, organisation_id: 'org_1' }));
    expect(await database.tenant('org_1', (trx) => named(trx, 'history'))).toEqual(made);
    await expect(database.tenant('org_1', (trx) => named(trx, 'poetry'))).rejects.toMatchObject({
      code: 'shelf_not_found',
    });
    await expect(database.tenant('org_2', (trx) => named(trx, 'history'))).rejects.toMatchObject({
      code: 'shelf_not_found',
    });
  });
});
