import { describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { rowBatches, type Database } from '../src/index.ts';
import { cutOff, database, server, shelf } from './database-under-test.ts';
import { openShelves } from './shelf-database.ts';

describe('rows in batches', () => {
  const options = { batchRows: 10, timeoutMs: 60_000 };
  const select = () => Promise.resolve({ text: 'SELECT n FROM generate_series(1, 1000000) AS n', values: {} });
  const numbers = (last: number) =>
    rowBatches<{ n: number }>(
      database,
      'org_batches',
      () => Promise.resolve({ text: 'SELECT n FROM generate_series(1, CAST(:last AS int)) AS n', values: { last } }),
      options,
    );

  it('are all of them, in their order, also where there are none', async () => {
    const read: number[] = [];
    for await (const batch of numbers(95)) read.push(...batch.map(({ n }) => n));
    expect(read).toEqual(Array.from({ length: 95 }, (_, n) => n + 1));
    for await (const batch of numbers(0)) throw new Error(`there are ${String(batch.length)}`);
  });

  it('show what there was when reading began, whatever is added meanwhile', async () => {
    const add = (count: number) =>
      database.tenant('org_snapshot', (trx) =>
        trx('shelves').insert(Array.from({ length: count }, () => shelf('org_snapshot', newId()))),
      );
    await add(25);
    let read = 0;
    const names = rowBatches(
      database,
      'org_snapshot',
      () => Promise.resolve({ text: 'SELECT * FROM shelves', values: {} }),
      options,
    );
    for await (const batch of names) {
      read += batch.length;
      await add(5);
    }
    expect(read).toBe(25);
  });

  it('are read no further than somebody takes them, and a connection is free when nobody wants any more', async () => {
    const one = openShelves(server, { applicationName: 'one connection', poolMax: 1, acquireTimeoutMs: 2_000 });
    let calls = 0;
    const watched: Pick<Database, 'tenant'> = {
      tenant: (organisationId, work, how) =>
        one.tenant(
          organisationId,
          (trx) => {
            trx.on('query', ({ sql }: { sql: string }) => {
              if (sql.startsWith('FETCH')) calls += 1;
            });
            return work(trx);
          },
          how,
        ),
    };
    for await (const batch of rowBatches(watched, 'org_1', select, options)) {
      expect(batch).toHaveLength(10);
      await new Promise(setImmediate);
      break;
    }
    expect(calls).toBeLessThan(8);
    expect(await one.tenant('org_1', (trx) => trx.raw('SELECT 1'))).toMatchObject({ rowCount: 1 });
    await one.close();
  });

  it('end with an error when the database goes away in their midst, and when they take too long', async () => {
    const lost = openShelves(server, { applicationName: 'lost in the midst' });
    const readAll = async (batches: AsyncIterable<unknown>, then: () => Promise<unknown>) => {
      for await (const _ of batches) await then();
    };
    await expect(
      readAll(rowBatches(lost, 'org_1', select, options), () => cutOff('lost in the midst')),
    ).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(
      readAll(rowBatches(lost, 'org_1', select, { batchRows: 10, timeoutMs: 0 }), () => Promise.resolve()),
    ).rejects.toMatchObject({ kind: 'deadline_exceeded' });
    await lost.close();
  });
});
