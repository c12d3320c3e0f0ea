import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, withCaller } from '@platform-backend/core';
import { createMetrics } from '@platform-backend/core/metrics';
import { waitFor, type ThrowawayPostgres } from '@platform-backend/testing';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Database, DatabaseOptions } from '../src/index.ts';
import { openShelves, preparedShelves } from './shelf-database.ts';

let server: ThrowawayPostgres;
let holder: pg.Client;
/** Looks from outside of the holder's transaction, within which the server would show the same again and again. */
let watcher: pg.Client;
beforeAll(async () => {
  server = await preparedShelves();
  holder = new pg.Client({ connectionString: server.adminUrl });
  watcher = new pg.Client({ connectionString: server.adminUrl });
  await Promise.all([holder.connect(), watcher.connect()]);
  const seed = openShelves(server);
  for (const organisation of ['org_1', 'org_2']) {
    await seed.tenant(organisation, (trx) =>
      trx('shelves').insert({ id: newId(), organisation_id: organisation, name: 'kept', created_at: new Date() }),
    );
  }
  await seed.close();
});
const opened: Database[] = [];
afterEach(async () => {
  await holder.query('ROLLBACK');
  for (const database of opened.splice(0)) await database.close();
});
afterAll(async () => {
  await Promise.all([holder.end(), watcher.end()]);
  await server.drop();
});

const never = { lockTimeoutMs: 0, statementTimeoutMs: 0, acquireTimeoutMs: 120_000 };
function open(options: Partial<DatabaseOptions>): Database {
  const database = openShelves(server, options);
  opened.push(database);
  return database;
}

/** Nobody else changes the shelf of the organisation until the test ends. */
async function holdShelfOf(organisation: string): Promise<void> {
  await holder.query('BEGIN');
  await holder.query('SELECT FROM shelves WHERE organisation_id = $1 FOR UPDATE', [organisation]);
}

const waitingForLocks = async (): Promise<number> => {
  const { rows } = await watcher.query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
  );
  return rows[0]?.waiting ?? 0;
};

/** As the first packet of a connection has it that is a request to cancel. */
const CANCEL_REQUEST = 80_877_102;

/** A way to the server on which cancellations stand still until they are told to pass, whoever waits for them. */
async function wayWithHeldCancellations() {
  const url = new URL(server.appUrl);
  const [host, port] = [url.hostname, Number(url.port || 5432)];
  const held: (() => void)[] = [];
  const sockets = new Set<Socket>();
  const way = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', (first: Buffer) => {
      const onwards = (): Socket => {
        const onward = connect(port, host).on('error', () => undefined);
        sockets.add(onward);
        onward.write(first);
        return onward;
      };
      if (first.length === 16 && first.readUInt32BE(4) === CANCEL_REQUEST) held.push(onwards);
      else socket.pipe(onwards()).pipe(socket);
    });
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  url.hostname = '127.0.0.1';
  url.port = String((way.address() as AddressInfo).port);
  return {
    url: url.href,
    held,
    close: () => {
      way.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const change = (database: Database, organisation: string): Promise<number> =>
  database.tenant(organisation, (trx) => trx('shelves').increment('copies', 1));
const changeStatement = { name: 'change', text: 'UPDATE shelves SET copies = copies + 1' };

describe('an organisation whose transactions wait for a locked row', () => {
  it('has its share of the connections, and everybody else goes on', async () => {
    const database = open({ ...never, poolMax: 10 });
    await holdShelfOf('org_1');
    let ended = 0;
    const stuck = Array.from({ length: 15 }, (_, number) =>
      (number % 2 === 0 ? change(database, 'org_1') : database.statement('org_1', changeStatement, [])).finally(
        () => (ended += 1),
      ),
    );
    await waitFor(async () => (await waitingForLocks()) === 3, { what: 'a quarter of ten to wait for the lock' });
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 20 }, () => change(database, 'org_2')));
      await database.statement('org_2', changeStatement, []);
      await database.system({}, (trx) => trx('shelves'));
      await database.ping();
    }
    expect(ended).toBe(0);
    expect(await waitingForLocks()).toBe(3);
    await holder.query('ROLLBACK');
    await Promise.all(stuck);
  });

  it('leaves connections for the work of no organisation, even where all others are stuck as well', async () => {
    const database = open({ ...never, poolMax: 10, share: 4 });
    await holder.query('BEGIN');
    await holder.query('SELECT FROM shelves FOR UPDATE');
    const stuck = ['org_1', 'org_2'].flatMap((organisation) =>
      Array.from({ length: 10 }, () => change(database, organisation)),
    );
    await waitFor(async () => (await waitingForLocks()) === 8, { what: 'all that tenants may have to wait' });
    await database.system({}, (trx) => trx('shelves'));
    await database.ping();
    expect(await waitingForLocks()).toBe(8);
    await holder.query('ROLLBACK');
    await Promise.all(stuck);
  });

  it('hears within the time for a lock that somebody is changing it, and does not wait for it again', async () => {
    const database = open({ lockTimeoutMs: 50 });
    await holdShelfOf('org_1');
    let runs = 0;
    const refused = database.tenant('org_1', (trx) => {
      runs += 1;
      return trx('shelves').increment('copies', 1);
    });
    const busy = { kind: 'unavailable', code: 'busy', retryAfterSeconds: 1 };
    await expect(refused).rejects.toMatchObject(busy);
    expect(runs).toBe(1);
    await expect(database.statement('org_1', changeStatement, [])).rejects.toMatchObject(busy);
    await holder.query('ROLLBACK');
    await change(database, 'org_1');
  });

  it('forgets whoever goes away before it is their turn', async () => {
    const database = open({ ...never, share: 1 });
    await holdShelfOf('org_1');
    const stuck = change(database, 'org_1');
    const caller = new AbortController();
    let ran = false;
    const given = withCaller(caller, () =>
      database.tenant('org_1', async () => {
        ran = true;
        return Promise.resolve();
      }),
    );
    caller.abort(new Error('hung up'));
    await expect(given).rejects.toMatchObject({ kind: 'unavailable' });
    await holder.query('ROLLBACK');
    await stuck;
    expect(ran).toBe(false);
  });
});

describe('a caller who leaves', () => {
  const copiesOf = async (organisation: string): Promise<number> => {
    const { rows } = await watcher.query<{ copies: number }>('SELECT copies FROM shelves WHERE organisation_id = $1', [
      organisation,
    ]);
    return Number(rows[0]?.copies);
  };
  /** What becomes of work whose caller leaves when `leaves` has come true. */
  async function abandoned(work: () => Promise<unknown>, leaves: () => Promise<boolean>): Promise<unknown> {
    const caller = new AbortController();
    const given = withCaller(caller, work).catch((error: unknown) => error);
    await waitFor(leaves);
    caller.abort(new Error('hung up'));
    return given;
  }
  const isWaiting = async () => (await waitingForLocks()) === 1;

  it.each([
    ['a transaction', (database: Database) => change(database, 'org_1')],
    ['a statement', (database: Database) => database.statement('org_1', changeStatement, [])],
  ])('has %s ended that waits, and its connection serves the next one', async (_, work) => {
    const database = open({ ...never, poolMax: 1 });
    const before = await copiesOf('org_1');
    await holdShelfOf('org_1');
    expect(await abandoned(() => work(database), isWaiting)).toMatchObject({ kind: 'deadline_exceeded' });
    expect(await waitingForLocks()).toBe(0);
    await holder.query('ROLLBACK');
    expect(await copiesOf('org_1')).toBe(before);
    await change(database, 'org_1');
    expect(await copiesOf('org_1')).toBe(before + 1);
  });

  it('has no cancellation come late to whoever has its connection next', async () => {
    const way = await wayWithHeldCancellations();
    const database = open({ ...never, poolMax: 1, url: way.url });
    await holdShelfOf('org_1');
    const left = abandoned(() => change(database, 'org_1'), isWaiting);
    await waitFor(() => way.held.length === 1);
    await holder.query('ROLLBACK');
    await left;
    const next = database.system({}, (trx) => trx.raw('SELECT pg_sleep(1)'));
    await delay(200);
    for (const pass of way.held) pass();
    await next;
    await database.close();
    way.close();
  });

  it('has nothing committed, and nothing begun', async () => {
    const database = open({});
    const before = await copiesOf('org_1');
    const caller = new AbortController();
    const outcome = withCaller(caller, () =>
      database.tenant('org_1', async (trx) => {
        await trx('shelves').increment('copies', 1);
        caller.abort(new Error('hung up'));
      }),
    );
    await expect(outcome).rejects.toMatchObject({ kind: 'unavailable' });
    const begun = withCaller(caller, () => database.statement('org_1', changeStatement, []));
    await expect(begun).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await copiesOf('org_1')).toBe(before);
  });

  it('leaves nothing half done that a commit has begun', async () => {
    const database = open({});
    const before = await copiesOf('org_1');
    const caller = new AbortController();
    await withCaller(caller, async () => {
      await database.tenant('org_1', (trx) => trx('shelves').select());
      await change(database, 'org_1');
      caller.abort(new Error('hung up'));
      await change(database, 'org_1');
      await database.statement('org_1', changeStatement, []);
    });
    expect(await copiesOf('org_1')).toBe(before + 3);
  });
});

describe('the metrics of a pool', () => {
  it('show its connections, those in use and who waits for one', async () => {
    const metrics = createMetrics();
    const page = await metrics.serve('127.0.0.1:0');
    const shows = async (used: number, waiting: number): Promise<boolean> => {
      const text = await (await fetch(`http://${page.address}/metrics`)).text();
      const of = (name: string, value: number) => `database_pool_${name}{pool="shelves"} ${value}`;
      const wanted = [of('connections', 3), of('connections_in_use', used), of('waiting', waiting)];
      return wanted.every((line) => text.split('\n').includes(line));
    };
    const database = open({ ...never, poolMax: 3, share: 2, metrics });
    await waitFor(() => shows(0, 0));
    await holdShelfOf('org_1');
    const changes = Array.from({ length: 3 }, () => change(database, 'org_1'));
    await waitFor(() => shows(2, 1));
    await holder.query('ROLLBACK');
    await Promise.all(changes);
    await waitFor(() => shows(0, 0));
    await page.close();
  });
});
