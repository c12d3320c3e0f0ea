import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { throwawayPostgres, type ThrowawayPostgres } from '@platform-backend/testing';
import { createHash } from 'node:crypto';
import {
  assertEveryTableIsTenantScoped,
  assertTimestampsFitDates,
  openDatabase,
  requireRestrictedRole,
  type Database,
} from '../src/index.ts';
import { migrateShelves, openShelves, preparedShelves, quiet } from './shelf-database.ts';

let server: ThrowawayPostgres;
let database: Database;
let owner: Database;

beforeAll(async () => {
  server = await preparedShelves();
  database = openShelves(server);
  owner = openDatabase({ url: server.ownerUrl, applicationName: 'owner', logger: quiet });
});

afterAll(async () => {
  await database.close();
  await owner.close();
  await server.drop();
});

const hashOf = (secret: string): string => `\\x${createHash('sha256').update(secret).digest('hex')}`;

const addShelf = (organisationId: string, name: string, secret = newId()): Promise<unknown> =>
  database.tenant(organisationId, (trx) =>
    trx('shelves').insert({ id: newId(), organisation_id: organisationId, name, secret_hash: hashOf(secret) }),
  );

const namesSeenBy = (organisationId: string): Promise<string[]> =>
  database.tenant(organisationId, (trx) => trx('shelves').orderBy('name').pluck<string[]>('name'));

describe('rows of an organisation', () => {
  beforeEach(async () => {
    for (const organisation of ['org_a', 'org_b']) {
      await database.tenant(organisation, (trx) => trx('shelves').delete());
    }
    await addShelf('org_a', 'poetry', 'open sesame');
    await addShelf('org_b', 'prose');
  });

  it('are seen by that organisation alone', async () => {
    expect(await namesSeenBy('org_a')).toEqual(['poetry']);
    expect(await namesSeenBy('org_b')).toEqual(['prose']);
    expect(await namesSeenBy('org_c')).toEqual([]);
  });

  it('are not seen at all without an organisation, also after a tenant transaction on the same connection', async () => {
    const single = openShelves(server, { poolMax: 1 });
    try {
      await single.tenant('org_a', (trx) => trx('shelves').select());
      expect(await single.knex('shelves').select()).toEqual([]);
      expect(await single.system({}, (trx) => trx('shelves').select())).toEqual([]);
    } finally {
      await single.close();
    }
  });

  it('cannot be written, changed, moved or deleted by another organisation', async () => {
    const foreign = (): Promise<unknown> =>
      database.tenant('org_b', (trx) =>
        trx('shelves').insert({ id: newId(), organisation_id: 'org_a', name: 'smuggled' }),
      );
    await expect(foreign()).rejects.toThrow('row-level security');
    const changed = await database.tenant('org_b', (trx) =>
      trx('shelves').where({ name: 'poetry' }).update({ name: 'stolen' }),
    );
    const deleted = await database.tenant('org_b', (trx) => trx('shelves').where({ name: 'poetry' }).delete());
    expect([changed, deleted]).toEqual([0, 0]);
    const move = database.tenant('org_b', (trx) => trx('shelves').update({ organisation_id: 'org_a' }));
    await expect(move).rejects.toThrow('row-level security');
    expect(await namesSeenBy('org_a')).toEqual(['poetry']);
  });

  it('are hidden from the tables owner as well', async () => {
    expect(await owner.knex('shelves').select()).toEqual([]);
    expect(await owner.tenant('org_a', (trx) => trx('shelves').pluck('name'))).toEqual(['poetry']);
  });

  it('are opened one by one to who knows the exact secret, for reading only', async () => {
    const settings = { 'app.secret_hash': hashOf('open sesame') };
    expect(await database.system(settings, (trx) => trx('shelves').pluck('name'))).toEqual(['poetry']);
    expect(await database.system({ 'app.secret_hash': hashOf('close sesame') }, (trx) => trx('shelves'))).toEqual([]);
    expect(await database.system(settings, (trx) => trx('shelves').update({ name: 'changed' }))).toBe(0);
  });

  it('stay closed to an empty secret, even where rows have none', async () => {
    await database.tenant('org_a', (trx) => trx('shelves').update({ secret_hash: null }));
    expect(await database.system({ 'app.secret_hash': '' }, (trx) => trx('shelves'))).toEqual([]);
  });
});

describe('the app role', () => {
  it.each([
    ['switch row-level security off', 'ALTER TABLE shelves DISABLE ROW LEVEL SECURITY'],
    ['take the force away', 'ALTER TABLE shelves NO FORCE ROW LEVEL SECURITY'],
    ['drop a policy', 'DROP POLICY of_the_organisation ON shelves'],
    ['add a policy', 'CREATE POLICY mine ON shelves USING (true)'],
    ['become the owner', 'ALTER TABLE shelves OWNER TO CURRENT_USER'],
    ['read the migration history', 'SELECT * FROM knex_migrations'],
    ['create tables', 'CREATE TABLE public.loot (id int)'],
    ['empty a table', 'TRUNCATE shelves'],
    ['change what is append-only', "UPDATE visits SET organisation_id = 'org_z'"],
    ['delete what is append-only', 'DELETE FROM visits'],
  ])('cannot %s', async (_, statement) => {
    await expect(database.knex.raw(statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  it('gets an error rather than fewer rows when it asks to see past the policies', async () => {
    const asked = database.knex.transaction(async (trx) => {
      await trx.raw('SET LOCAL row_security = off');
      return trx('shelves').select();
    });
    await expect(asked).rejects.toThrow('row-level security');
  });

  it('is accepted by a service at start, and a stronger role is not', async () => {
    await requireRestrictedRole(database.knex);
    const superuser = openDatabase({ url: server.superuserUrl, applicationName: 'root', logger: quiet });
    try {
      await expect(requireRestrictedRole(superuser.knex)).rejects.toThrow('is a superuser');
      await expect(requireRestrictedRole(owner.knex)).rejects.toThrow('owns shelves');
    } finally {
      await superuser.close();
    }
  });
});

describe('the check of a schema', () => {
  const check = (except: string[] = ['countries']): Promise<void> =>
    assertEveryTableIsTenantScoped(database.knex, { except });

  const withStatement = async (statement: string, undo: string, work: () => Promise<void>): Promise<void> => {
    await owner.knex.raw(statement);
    try {
      await work();
    } finally {
      await owner.knex.raw(undo);
    }
  };

  it('is content with tables made by tenantTable', async () => {
    await check();
  });

  it('names each table that belongs to no organisation and is no exception', async () => {
    await expect(check([])).rejects.toThrow('the table countries has no forced row-level security');
  });

  it('finds exceptions that are none any more', async () => {
    await expect(check(['countries', 'ghosts'])).rejects.toThrow('the exception ghosts does not exist');
    await expect(check(['countries', 'visits'])).rejects.toThrow('the exception visits is tenant scoped');
  });

  it.each([
    [
      'a table that is not forced',
      'ALTER TABLE visits NO FORCE ROW LEVEL SECURITY',
      'ALTER TABLE visits FORCE ROW LEVEL SECURITY',
      'visits has no forced',
    ],
    [
      'a policy that lets everyone in',
      'CREATE POLICY all_of_them ON visits USING (true)',
      'DROP POLICY all_of_them ON visits',
      'policy of the table visits lets everyone in',
    ],
    [
      'a view with its owners rights',
      'CREATE VIEW peek AS SELECT * FROM visits',
      'DROP VIEW peek',
      'the view peek is not security_invoker',
    ],
    [
      'a materialised view',
      'CREATE MATERIALIZED VIEW copy AS SELECT * FROM visits',
      'DROP MATERIALIZED VIEW copy',
      'copy knows no policies',
    ],
  ])('finds %s', async (_, statement, undo, problem) => {
    await withStatement(statement, undo, async () => {
      await expect(check()).rejects.toThrow(problem);
    });
  });

  it('finds moments finer than a Date', async () => {
    await assertTimestampsFitDates(owner.knex);
    await withStatement('ALTER TABLE countries ADD since timestamptz', 'ALTER TABLE countries DROP since', async () => {
      await expect(assertTimestampsFitDates(owner.knex)).rejects.toThrow('countries.since');
    });
  });
});

describe('the password of the app role', () => {
  it('is replaced without a moment in which nobody may connect, by a second role for the time between', async () => {
    // Its roles are its own, and those of no other file of tests.
    const server = await throwawayPostgres();
    await migrateShelves(server);
    const superuser = openDatabase({ url: server.superuserUrl, applicationName: 'superuser', logger: quiet });
    const other = `${server.appRole}_other`;
    const loginOf = (role: string, password: string): string => {
      const url = new URL(server.appUrl);
      url.username = role;
      url.password = password;
      return url.href;
    };
    /** A replica that starts now, and one transaction of it. */
    const replica = async (url: string): Promise<Database> => {
      const started = openShelves({ ...server, appUrl: url });
      await requireRestrictedRole(started.knex);
      await started.tenant('org_a', (trx) =>
        trx('shelves').insert({ id: newId(), organisation_id: 'org_a', name: newId(), secret_hash: hashOf(newId()) }),
      );
      expect(await started.tenant('org_b', (trx) => trx('shelves').select())).toEqual([]);
      return started;
    };
    try {
      const before = await replica(server.appUrl);
      // As docs/operations.md says it.
      await superuser.knex.raw(`CREATE ROLE ?? LOGIN PASSWORD 'next' IN ROLE ??`, [other, server.appRole]);
      const between = await replica(loginOf(other, 'next'));
      await superuser.knex.raw(`ALTER ROLE ?? PASSWORD 'next'`, [server.appRole]);
      // Connections that are there stay.
      expect(await before.tenant('org_a', (trx) => trx('shelves').select())).toHaveLength(2);
      const after = await replica(loginOf(server.appRole, 'next'));
      await before.close();
      await between.close();
      await superuser.knex.raw('DROP ROLE ??', [other]);
      await expect(replica(server.appUrl)).rejects.toThrow();
      expect(await after.tenant('org_a', (trx) => trx('shelves').select())).toHaveLength(3);
      await after.close();
    } finally {
      await superuser.close();
      await server.drop();
    }
  });
});
