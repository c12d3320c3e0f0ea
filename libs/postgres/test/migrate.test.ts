import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { throwawayPostgres, type ThrowawayPostgres } from '@platform-backend/testing';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { migrate, openDatabase, type Database } from '../src/index.ts';
import { directory, migrateShelves, quiet } from './shelf-database.ts';

let server: ThrowawayPostgres;
let owner: Database;

beforeEach(async () => {
  server = await throwawayPostgres();
  owner = openDatabase({ url: server.ownerUrl, applicationName: 'owner', logger: quiet });
});

afterEach(async () => {
  await owner.close();
  await server.drop();
});

const everything = ['0001_shelves', '0002_visits', '0003_countries'];

/** All that a migration could have changed: tables, columns, indexes, constraints, policies, grants, and its own history. */
async function dump(): Promise<unknown> {
  const queries = [
    `SELECT relname, relkind, relowner::regrole::text, relacl::text, relrowsecurity, relforcerowsecurity
     FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname`,
    `SELECT table_name, column_name, ordinal_position, data_type, is_nullable, column_default, datetime_precision
     FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 3`,
    `SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
     WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
    `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`,
    `SELECT * FROM pg_policies ORDER BY tablename, policyname`,
    `SELECT nspname, nspacl::text FROM pg_namespace ORDER BY 1`,
    `SELECT rolname, rolsuper, rolbypassrls, rolconfig FROM pg_roles
     WHERE rolname LIKE current_database() || '%' ORDER BY 1`,
    `SELECT extname FROM pg_extension ORDER BY 1`,
    `SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
    `SELECT * FROM knex_migrations ORDER BY id`,
    `SELECT * FROM knex_migrations_lock`,
  ];
  return Promise.all(queries.map(async (sql) => (await owner.knex.raw<{ rows: unknown[] }>(sql)).rows));
}

describe('migrating a database', () => {
  it('runs what has not run yet, in order, and changes nothing the second time', async () => {
    expect(await migrateShelves(server)).toEqual(everything);
    const before = await dump();
    expect(await migrateShelves(server)).toEqual([]);
    expect(await dump()).toEqual(before);
  });

  it('from several processes at once runs each migration once', async () => {
    const script = fileURLToPath(new URL('./migrate-once.ts', import.meta.url));
    const run = promisify(execFile);
    const results = await Promise.all(
      [1, 2, 3].map(() => run(process.execPath, [script, server.ownerUrl, server.appRole], { encoding: 'utf8' })),
    );
    const applied = results.map(({ stdout }) => JSON.parse(stdout) as string[]);
    expect(applied.flat().sort()).toEqual(everything);
    expect(applied.filter(({ length }) => length > 0)).toHaveLength(1);
  });

  it('keeps nothing of a run that fails, and says which statement failed', async () => {
    const broken = new URL('./broken-migrations/', import.meta.url);
    const run = migrate({ url: server.ownerUrl, directory: broken, appRole: server.appRole, logger: quiet });
    await expect(run).rejects.toThrow('half_done');
    const { rows } = await owner.knex.raw<{ rows: unknown[] }>("SELECT to_regclass('half_done') AS found");
    expect(rows).toEqual([{ found: null }]);
    expect(await owner.knex('knex_migrations').select()).toEqual([]);
  });

  it('can leave the transaction for a statement that refuses to be in one', async () => {
    const concurrent = new URL('./concurrent-migrations/', import.meta.url);
    const request = { url: server.ownerUrl, directory: concurrent, appRole: server.appRole, logger: quiet };
    expect(await migrate(request)).toEqual(['0001_index_without_lock']);
    expect(await migrate(request)).toEqual([]);
  });

  it('goes on after a process that was killed while it migrated', async () => {
    await migrateShelves(server);
    await owner.knex('knex_migrations').where({ name: '0003_countries' }).delete();
    await owner.knex.raw('DROP TABLE countries');
    await owner.knex('knex_migrations_lock').update({ is_locked: 1 });
    expect(await migrateShelves(server)).toEqual(['0003_countries']);
  });

  it('starts against a database that a newer version has migrated', async () => {
    await migrateShelves(server);
    await owner.knex('knex_migrations').insert({ name: '0099_from_the_future', batch: 2, migration_time: new Date() });
    expect(await migrateShelves(server)).toEqual([]);
  });

  it('refuses an app role that does not exist, before it touches anything', async () => {
    const run = migrate({ url: server.ownerUrl, directory, appRole: 'nobody_here', logger: quiet });
    await expect(run).rejects.toThrow('the role "nobody_here" does not exist');
    const { rows } = await owner.knex.raw<{ rows: unknown[] }>("SELECT to_regclass('knex_migrations') AS found");
    expect(rows).toEqual([{ found: null }]);
  });
});
