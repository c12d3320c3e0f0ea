import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conflict, inRequest, newId, presentRequestId, withCaller } from '@platform-backend/core';
import { waitFor, type ThrowawayPostgres } from '@platform-backend/testing';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Client } from 'pg';
import { openDatabase, rowBatches, type Database, type Knex } from '../src/index.ts';
import { openShelves, preparedShelves, quiet } from './shelf-database.ts';

let server: ThrowawayPostgres;
let database: Database;
let superuser: Database;

beforeAll(async () => {
  server = await preparedShelves();
  database = openShelves(server, {
    constraintErrors: { shelves_name: () => conflict('shelf_exists', 'A shelf of this name exists') },
  });
  superuser = openDatabase({ url: server.superuserUrl, applicationName: 'root', logger: quiet });
});

afterAll(async () => {
  await database.close();
  await superuser.close();
  await server.drop();
});

interface Shelf {
  id: string;
  organisation_id: string;
  name: string;
  created_at: Date;
}

const shelf = (organisation_id: string, name: string, created_at = new Date()): Shelf => ({
  id: newId(),
  organisation_id,
  name,
  created_at,
});

/** Ends the server's side of every connection of this name. */
const cutOff = (applicationName: string): Promise<unknown> =>
  superuser.knex.raw('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?', [
    applicationName,
  ]);

describe('a connection of the pool', () => {
  it('is of no request, though it was opened in one', async () => {
    const own = openShelves(server);
    await inRequest('r-1', () => own.ping());
    const connection = (await (own.knex.client as Knex.Client).acquireConnection()) as Client;
    const seen: (string | undefined)[] = [];
    connection.on('notice', () => seen.push(presentRequestId()));
    await connection.query(`DO $$ BEGIN RAISE NOTICE 'a remark'; END $$`);
    expect(seen).toEqual([undefined]);
    await (own.knex.client as Knex.Client).releaseConnection(connection);
    await own.close();
  });
});

describe('a transaction in PostgreSQL', () => {
  it('tells a taken name as the conflict the service wrote for that constraint', async () => {
    const add = (): Promise<unknown> => database.tenant('org_1', (trx) => trx('shelves').insert(shelf('org_1', 'a')));
    await add();
    await expect(add()).rejects.toMatchObject({ kind: 'conflict', code: 'shelf_exists' });
  });

  it('is run again after a serialisation failure until it succeeds', async () => {
    await database.tenant('org_2', (trx) => trx('shelves').insert(shelf('org_2', 'counted')));
    let runs = 0;
    const increment = (): Promise<void> =>
      database.tenant(
        'org_2',
        async (trx) => {
          runs += 1;
          const [copies] = await trx('shelves').pluck<string[]>('copies');
          // Both have read before either writes.
          await waitFor(() => runs >= 2);
          await trx('shelves').update({ copies: BigInt(copies ?? 0) + 1n });
        },
        { isolation: 'serializable' },
      );
    await Promise.all([increment(), increment()]);
    expect(await database.tenant('org_2', (trx) => trx('shelves').pluck('copies'))).toEqual(['2']);
    expect(runs).toBe(3);
  });

  it('is run again after a deadlock', async () => {
    await database.tenant('org_3', (trx) => trx('shelves').insert([shelf('org_3', 'left'), shelf('org_3', 'right')]));
    let waiting = 0;
    const lockBoth = (first: string, second: string): Promise<void> => {
      let attempt = 0;
      return database.tenant('org_3', async (trx) => {
        attempt += 1;
        await trx('shelves').where({ name: first }).forUpdate();
        waiting += 1;
        if (attempt === 1) await waitFor(() => waiting >= 2);
        await trx('shelves').where({ name: second }).forUpdate();
      });
    };
    await Promise.all([lockBoth('left', 'right'), lockBoth('right', 'left')]);
    expect(waiting).toBeGreaterThanOrEqual(3);
  });

  it('gives up on a collision that never ends, and says unavailable', async () => {
    let runs = 0;
    const work = database.tenant('org_1', async (trx) => {
      runs += 1;
      await trx.raw(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`);
    });
    await expect(work).rejects.toMatchObject({ kind: 'unavailable' });
    expect(runs).toBe(3);
  });

  it('is never run again when the connection broke in the middle: it may have been committed', async () => {
    const own = openShelves(server, { applicationName: 'cut in the middle' });
    let runs = 0;
    const work = own.tenant('org_1', async (trx) => {
      runs += 1;
      await cutOff('cut in the middle');
      await trx('shelves').select();
    });
    await expect(work).rejects.toMatchObject({ kind: 'unavailable' });
    expect(runs).toBe(1);
    await own.close();
  });

  it('that may have been committed when the connection broke is told so', async () => {
    const own = openShelves(server, { applicationName: 'cut at the end' });
    const work = own.tenant('org_1', async (trx) => {
      await trx('shelves').insert(shelf('org_1', 'perhaps'));
      await cutOff('cut at the end');
    });
    await expect(work).rejects.toMatchObject({ kind: 'unavailable', code: 'outcome_unknown', retryAfterSeconds: 1 });
    const read = own.tenant('org_1', () => cutOff('cut at the end'));
    await expect(read).rejects.toMatchObject({ kind: 'unavailable', code: 'unavailable' });
    await own.close();
  });

  it('of one statement that was cut off while it changed something is told so as well', async () => {
    const own = openShelves(server, { applicationName: 'cut while it changes' });
    const text = `INSERT INTO visits (id, organisation_id) SELECT gen_random_uuid(), 'org_1' FROM pg_sleep(60)`;
    const statement = own.statement('org_1', { name: 'sleepy', text }, []).catch((error: unknown) => error);
    const running = superuser
      .knex('pg_stat_activity')
      .where({ application_name: 'cut while it changes', wait_event: 'PgSleep' });
    await waitFor(async () => (await running.clone()).length === 1, { what: 'it to be carried out' });
    await cutOff('cut while it changes');
    expect(await statement).toMatchObject({ code: 'outcome_unknown' });
    await own.close();
  });

  it('of one statement that was taken back by a collision, and then found no server, has done nothing', async () => {
    const own = openShelves(server, { applicationName: 'gone after a collision' });
    const { client } = own.knex as unknown as { client: { acquireConnection: () => Promise<unknown> } };
    const acquire = client.acquireConnection.bind(client);
    const connections = [acquire, () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))];
    client.acquireConnection = () => (connections.shift() ?? acquire)();
    const text = `DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`;
    const statement = own.statement('org_1', { name: 'collides', text, writes: true }, []);
    await expect(statement).rejects.toMatchObject({ kind: 'unavailable', code: 'unavailable' });
    expect(connections).toEqual([]);
    await own.close();
  });

  it('does not notice that idle connections were cut off', async () => {
    const own = openShelves(server, { applicationName: 'cut while idle' });
    await Promise.all([1, 2, 3].map(() => own.ping()));
    await cutOff('cut while idle');
    expect(await own.tenant('org_1', (trx) => trx('shelves').pluck('name'))).toEqual(['a']);
    await own.close();
  });

  it('says unavailable when nobody answers, and when no connection becomes free', async () => {
    const nobody = openDatabase({ url: 'postgres://x@127.0.0.1:1/x', applicationName: 'nobody', logger: quiet });
    await expect(nobody.tenant('org_1', (trx) => trx('shelves'))).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(nobody.ping()).rejects.toMatchObject({ kind: 'unavailable' });
    await nobody.close();
    const small = openShelves(server, { poolMax: 1, acquireTimeoutMs: 500 });
    const refused = Promise.withResolvers<undefined>();
    const holding = small.tenant('org_1', () => refused.promise);
    await expect(small.tenant('org_2', (trx) => trx('shelves'))).rejects.toMatchObject({ kind: 'unavailable' });
    refused.resolve(undefined);
    await holding;
    await small.close();
  });

  it('is ended by the server when a statement takes too long', async () => {
    const hasty = openShelves(server, { statementTimeoutMs: 50 });
    const slow = hasty.tenant('org_1', (trx) => trx.raw('SELECT pg_sleep(10)'));
    await expect(slow).rejects.toMatchObject({ kind: 'deadline_exceeded' });
    await hasty.close();
  });

  it('that hangs with its server ends when its caller leaves, and its connection is free for others', async () => {
    const { hostname, port } = new URL(server.appUrl);
    const sockets: Socket[] = [];
    let isFrozen = false;
    let lost = 0;
    // What has arrived is passed on unless the server is frozen, which still accepts connections.
    const proxy = createServer((client) => {
      const upstream = connect({ host: hostname, port: Number(port) });
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        from.on('data', (bytes) => (isFrozen ? (lost += bytes.length) : to.write(bytes)));
        from.on('error', () => to.destroy()).on('close', () => to.destroy());
      }
      sockets.push(client, upstream);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const through = new URL(server.appUrl);
    through.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const one = openShelves(server, { url: through.href, poolMax: 1, acquireTimeoutMs: 60_000 });
    await one.ping();

    isFrozen = true;
    const caller = new AbortController();
    const hanging = withCaller(caller, () => one.tenant('org_1', (trx) => trx('shelves').select()));
    await waitFor(() => lost > 0, { what: 'something to be asked of it' });
    caller.abort(new Error('the deadline has passed'));
    await expect(hanging).rejects.toMatchObject({ kind: 'unavailable' });
    // Its own connection and that of the cancellation: for nobody it is not tried again.
    expect(sockets.length / 2).toBe(2);
    isFrozen = false;
    await one.ping();
    await one.close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });

  it('has no other one inside, which would wait for a connection while holding one', async () => {
    const inside = [
      () => database.tenant('org_1', (trx) => trx('shelves')),
      () => database.system({}, (trx) => trx('shelves')),
      () => database.statement('org_1', { name: 'inside', text: 'SELECT 1' }, []),
    ];
    for (const another of inside) {
      await expect(database.tenant('org_1', async () => another())).rejects.toThrow('a transaction inside another one');
    }
    await database.tenant('org_1', (trx) => trx('shelves'));
    await database.tenant('org_1', (trx) => trx('shelves'));
  });

  it('that cannot begin as a setting is refused is over, and its connection is free for others', async () => {
    const one = openShelves(server, { poolMax: 1 });
    const names = (): Promise<unknown> =>
      one.statement('org_1', { name: 'names', text: 'SELECT name FROM shelves' }, []);
    const known = await names();
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const refused = one.system({ 'app.secret_hash': 'a\0b' }, (trx) => trx('shelves'));
      await expect(refused).rejects.toThrow('invalid byte sequence');
      expect(await names()).toEqual(known);
    }
    await one.close();
  });

  it('that is refused only when it is committed leaves its connection to others', async () => {
    const one = openShelves(server, { poolMax: 1 });
    const process = (): Promise<unknown> =>
      one.statement('org_1', { name: 'process', text: 'SELECT pg_backend_pid()' }, []);
    const owner = openDatabase({ url: server.ownerUrl, applicationName: 'owner', logger: quiet });
    await owner.knex.raw('ALTER TABLE shelves ADD CONSTRAINT one_name UNIQUE (name) DEFERRABLE INITIALLY DEFERRED');
    await one.tenant('org_5', (trx) => trx('shelves').insert(shelf('org_5', 'once')));
    const known = await process();
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const again = one.tenant('org_6', (trx) => trx('shelves').insert(shelf('org_6', 'once')));
      await expect(again).rejects.toMatchObject({ constraint: 'one_name' });
      expect(await process()).toEqual(known);
    }
    await owner.knex.raw('ALTER TABLE shelves DROP CONSTRAINT one_name');
    await owner.close();
    await one.close();
  });

  it('refuses settings that are none of ours, and an empty organisation', async () => {
    await expect(database.system({ role: 'postgres' }, (trx) => trx('shelves'))).rejects.toThrow('not a setting');
    expect(() => database.tenant('', (trx) => trx('shelves'))).toThrow('needs an organisation');
  });

  it('reads whole numbers of any size exactly, moments as dates and days as text', async () => {
    const { rows } = await database.knex.raw<{ rows: unknown[] }>(
      `SELECT 9223372036854775807::bigint AS big, 0.10::numeric AS decimal, '2026-03-01'::date AS day,
              '2026-03-01T12:00:00.007Z'::timestamptz AS moment, '2026-03-01 12:00'::timestamp AS local`,
    );
    expect(rows).toEqual([
      {
        big: '9223372036854775807',
        decimal: '0.10',
        day: '2026-03-01',
        moment: new Date('2026-03-01T12:00:00.007Z'),
        local: '2026-03-01 12:00:00',
      },
    ]);
  });
});

describe('listening for notifications of PostgreSQL', () => {
  it('wakes at every notification, and once more after the connection was cut', async () => {
    const own = openShelves(server, { applicationName: 'ears' });
    let woken = 0;
    const listening = own.listen('bell', () => {
      woken += 1;
    });
    await waitFor(() => woken === 1, { what: 'the first connection' });
    await database.knex.raw('NOTIFY bell');
    await waitFor(() => woken === 2, { what: 'the notification' });
    await cutOff('ears listener');
    await waitFor(() => woken === 3, { what: 'the reconnection' });
    await database.knex.raw('NOTIFY bell');
    await waitFor(() => woken === 4, { what: 'the notification after it' });
    await listening.close();
    await own.close();
  });

  it('tells readers of what they follow, and all of them after the connection was cut', async () => {
    const own = openShelves(server, { applicationName: 'reader' });
    const { signal } = new AbortController();
    const [shelf, other] = ['shelf org_1 1', 'shelf org_2 1'].map((thing) => own.noticeOf([thing]));
    let heardByOther = 0;
    const hearOther = async (): Promise<void> => {
      await other?.next(signal);
      heardByOther += 1;
      void hearOther();
    };
    void hearOther();
    await shelf?.next(signal);
    await database.knex.raw(`SELECT pg_notify('changes', 'shelf org_1 1')`);
    await shelf?.next(signal);
    expect(heardByOther).toBe(1);
    await cutOff('reader listener');
    await shelf?.next(signal);
    await waitFor(() => heardByOther === 2, { what: 'the notice after the outage' });
    await own.close();
  });

  it('can be closed while the database is away', async () => {
    const nobody = openDatabase({ url: 'postgres://x@127.0.0.1:1/x', applicationName: 'nobody', logger: quiet });
    const listening = nobody.listen('bell', () => undefined);
    await listening.close();
    await nobody.close();
  });
});

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
