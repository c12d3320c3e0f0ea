import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conflict, newId } from '@platform-backend/core';
import { waitFor, type ThrowawayPostgres } from '@platform-backend/testing';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { clientConfig } from '../src/connection.ts';
import { openDatabase, runPrepared, type Database } from '../src/index.ts';
import { onConnection } from '../src/one-round-trip.ts';
import { openShelves, preparedShelves, quiet } from './shelf-database.ts';

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

let server: ThrowawayPostgres;
let database: Database;
beforeAll(async () => {
  server = await preparedShelves();
  database = openShelves(server, {
    poolMax: 2,
    constraintErrors: { shelves_name: () => conflict('shelf_exists', 'A shelf of this name exists') },
  });
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

// It uses what pg does not promise: another version, even a patch, is taken knowingly and with the tests below.
it('runs on the one version of pg that is pinned', () => {
  const { dependencies } = readJson(join(import.meta.dirname, '../package.json')) as Manifest;
  const { version } = readJson(createRequire(import.meta.url).resolve('pg/package.json')) as Manifest;
  expect(dependencies['pg']).toBe(version);
});

const add = {
  name: 'add-shelf',
  text: `INSERT INTO shelves (id, organisation_id, name, created_at) VALUES ($1::uuid, $2, $3, now()) RETURNING name`,
};
const list = { name: 'list-shelves', text: 'SELECT name FROM shelves ORDER BY name' };
const sleep = { name: 'sleep', text: 'SELECT pg_sleep(10)' };
const addShelf = (organisation: string, name: string, owner = organisation) =>
  database.statement<{ name: string }>(organisation, add, [newId(), owner, name]);

/** Ends the connection that runs a statement, once it does. */
async function cutConnectionThatRuns(text: string): Promise<void> {
  const superuser = openDatabase({ url: server.superuserUrl, applicationName: 'root', logger: quiet });
  const cut = async (): Promise<boolean> => {
    const { rows } = await superuser.knex.raw<{ rows: object[] }>(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'shelves' AND query = ? AND state = 'active'`,
      [text],
    );
    return rows.length > 0;
  };
  try {
    await waitFor(cut, { what: 'the statement to run' });
  } finally {
    await superuser.close();
  }
}

describe('a statement in one round trip', () => {
  it('commits, and sees and writes rows of its organisation alone', async () => {
    expect(await addShelf('org_1', 'a')).toEqual([{ name: 'a' }]);
    await addShelf('org_2', 'b');
    expect(await database.statement('org_1', list, [])).toEqual([{ name: 'a' }]);
    await expect(addShelf('org_1', 'c', 'org_2')).rejects.toThrow('row-level security');
    expect(await database.statement('org_2', list, [])).toEqual([{ name: 'b' }]);
  });

  it('leaves nothing of one caller on the connection for the next', async () => {
    await addShelf('org_3', 'x');
    expect(await database.knex('shelves').select('*')).toEqual([]);
  });

  it('is run on no connection that somebody has left in a transaction, whose settings the next one would have', async () => {
    await addShelf('org_8', 'kept');
    const one = openShelves(server, { poolMax: 1 });
    const lending = { pool: one.knex, cancelling: clientConfig({ url: server.appUrl, applicationName: 'cancelling' }) };
    await onConnection(lending, (connection) => connection.query('BEGIN'));
    expect(await one.statement('org_8', list, [])).toEqual([{ name: 'kept' }]);
    expect(await one.knex('shelves').select('*')).toEqual([]);
    await one.close();
  });

  it('that fails changes nothing, says why, and leaves its connection usable', async () => {
    await addShelf('org_4', 'taken');
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await expect(addShelf('org_4', 'taken')).rejects.toMatchObject({ kind: 'conflict', code: 'shelf_exists' });
    }
    const names = Array.from({ length: 50 }, (_, number) => `n${number}`);
    await Promise.all(names.map((name) => addShelf('org_4', name)));
    expect(await database.tenant('org_4', (trx) => trx('shelves').select('name'))).toHaveLength(51);
  });

  it('that is refused only when it is committed says so, and has changed nothing', async () => {
    const owner = openDatabase({ url: server.ownerUrl, applicationName: 'owner', logger: quiet });
    await owner.knex.raw('ALTER TABLE shelves ADD CONSTRAINT one_name UNIQUE (name) DEFERRABLE INITIALLY DEFERRED');
    await addShelf('org_5', 'once');
    await expect(addShelf('org_6', 'once')).rejects.toMatchObject({ constraint: 'one_name' });
    expect(await database.statement('org_6', list, [])).toEqual([]);
    await owner.knex.raw('ALTER TABLE shelves DROP CONSTRAINT one_name');
    await owner.close();
  });

  it('whose connection is cut is told as unavailable, and the next one works', async () => {
    const cut = expect(database.statement('org_1', sleep, [])).rejects.toMatchObject({ kind: 'unavailable' });
    await cutConnectionThatRuns(sleep.text);
    await cut;
    expect(await database.statement('org_1', list, [])).toEqual([{ name: 'a' }]);
  });

  it('that answers whole rows goes on when their table gets another column, on every connection that has prepared it', async () => {
    const owner = openDatabase({ url: server.ownerUrl, applicationName: 'owner', logger: quiet });
    const several = openShelves(server, { poolMax: 4 });
    const name = 'whole-shelves';
    const text = 'SELECT shelves.*, pg_sleep(0.05) FROM (SELECT 1) AS one LEFT JOIN shelves ON true';
    const ask = (): Promise<object[]> => several.statement('org_9', { name, text }, []);
    await Promise.all(Array.from({ length: 4 }, ask));
    await owner.knex.raw('ALTER TABLE shelves ADD COLUMN added text');
    expect(await ask()).toEqual([expect.objectContaining({ added: null })]);
    await Promise.all(Array.from({ length: 4 }, ask));
    await owner.knex.raw('ALTER TABLE shelves DROP COLUMN added');
    const [row] = await several.tenant('org_9', (trx) => runPrepared<object>(trx, { name, text }, []));
    expect(row).not.toHaveProperty('added');
    await Promise.all([owner.close(), several.close()]);
  });
});

describe('a statement of no organisation in one round trip', () => {
  it('sees what it opens itself, which is closed again behind it', async () => {
    const owner = openDatabase({ url: server.ownerUrl, applicationName: 'owner', logger: quiet });
    await owner.knex.raw(`
      CREATE FUNCTION shelf_of_secret(secret bytea) RETURNS SETOF text LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM set_config('app.secret_hash', secret::text, true);
        RETURN QUERY SELECT name FROM shelves;
      END $$`);
    await owner.close();
    const secret = Buffer.from('a secret');
    await database.tenant('org_7', (trx) =>
      trx('shelves').insert({ id: newId(), organisation_id: 'org_7', name: 'hidden', secret_hash: secret }),
    );
    const find = { name: 'find', text: 'SELECT shelf_of_secret AS name FROM shelf_of_secret($1)' };
    expect(await database.systemStatement(find, [secret])).toEqual([{ name: 'hidden' }]);
    expect(await database.systemStatement(find, [Buffer.from('another')])).toEqual([]);
    for (let attempt = 0; attempt < 5; attempt += 1) expect(await database.systemStatement(list, [])).toEqual([]);
  });

  it('tells of what it writes, also where a function does that, as it says', async () => {
    let told = 0;
    const listening = openShelves(server, { onWrite: () => void (told += 1) });
    const call = { name: 'call-a-function', text: 'SELECT now()' };
    await listening.systemStatement(call, []);
    expect(told).toBe(0);
    await listening.systemStatement({ ...call, writes: true }, []);
    expect(told).toBe(1);
    await listening.close();
  });

  it('sees what a setting opens to it, each time, and leaves nothing of that to the next', async () => {
    const secret = Buffer.from('opened');
    await database.tenant('org_8', (trx) =>
      trx('shelves').insert({ id: newId(), organisation_id: 'org_8', name: 'opened', secret_hash: secret }),
    );
    const opening = { 'app.secret_hash': `\\x${secret.toString('hex')}` };
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(await database.systemStatement(list, [], opening)).toEqual([{ name: 'opened' }]);
      expect(await database.systemStatement(list, [])).toEqual([]);
    }
    const all = await Promise.all([1, 2, 3, 4].map(() => database.systemStatement(list, [], opening)));
    expect(all).toEqual(all.map(() => [{ name: 'opened' }]));
    await expect(database.systemStatement(list, [], { search_path: 'x' })).rejects.toThrow(
      'not a setting for policies',
    );
  });

  it('is tried again when its connection is cut, since it only reads', async () => {
    const sleepFor = { name: 'sleep-for', text: 'SELECT pg_sleep($1)' };
    let tries = 0;
    // It is over when it is tried again, and not before it is cut, however busy the machine is.
    const seconds = { toPostgres: () => ((tries += 1) === 1 ? 10 : 0) };
    const answer = database.systemStatement(sleepFor, [seconds]);
    await cutConnectionThatRuns(sleepFor.text);
    expect(await answer).toHaveLength(1);
    expect(tries).toBe(2);
  });
});
