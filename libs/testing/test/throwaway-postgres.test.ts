import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { preparedPostgres, throwawayPostgres, type ThrowawayPostgres } from '../src/index.ts';

describe('a throwaway PostgreSQL', () => {
  let database: ThrowawayPostgres;

  beforeAll(async () => {
    database = await throwawayPostgres();
  });

  afterAll(async () => {
    await database.drop();
  });

  it('lets the owner create tables and the app role only what it was granted', async () => {
    await query(database.ownerUrl, 'CREATE TABLE note (id int)');
    await query(database.ownerUrl, `GRANT SELECT ON note TO ${database.appRole}`);
    await expect(query(database.appUrl, 'SELECT * FROM note')).resolves.toEqual([]);
    await expect(query(database.appUrl, 'INSERT INTO note VALUES (1)')).rejects.toThrow('permission denied');
    await expect(query(database.appUrl, 'CREATE TABLE mine (id int)')).rejects.toThrow('permission denied');
  });

  it('gives the app role no way around row-level security', async () => {
    const roles = await query(
      database.superuserUrl,
      `SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = '${database.appRole}'`,
    );
    expect(roles).toEqual([{ rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false }]);
  });

  it('keeps two databases on one server apart', async () => {
    const other = await throwawayPostgres();
    expect(new URL(other.appUrl).port).toBe(new URL(database.appUrl).port);
    const intruder = new URL(other.appUrl);
    intruder.pathname = `/${database.name}`;
    await expect(query(intruder.href, 'SELECT 1')).rejects.toThrow('permission denied');
    await other.drop();
  });

  it('is prepared once for a purpose, and each copy is its own', async () => {
    let prepared = 0;
    const ask = () =>
      preparedPostgres('a note', async ({ ownerUrl, appRole }) => {
        prepared += 1;
        await query(ownerUrl, 'CREATE TABLE note (id int)');
        await query(ownerUrl, `GRANT SELECT, INSERT ON note TO ${appRole}`);
      });
    const [one, other] = await Promise.all([ask(), ask()]);
    expect(prepared).toBe(1);
    await query(one.appUrl, 'INSERT INTO note VALUES (1)');
    await expect(query(one.adminUrl, 'SELECT * FROM note')).resolves.toEqual([{ id: 1 }]);
    await expect(query(other.appUrl, 'SELECT * FROM note')).resolves.toEqual([]);
    await expect(query(one.appUrl, 'CREATE TABLE mine (id int)')).rejects.toThrow('permission denied');
    await query(one.ownerUrl, 'DROP TABLE note');
    await Promise.all([one.drop(), other.drop()]);
  });

  it('is prepared by the next who asks when preparing it failed', async () => {
    const fail = preparedPostgres('a failure', () => Promise.reject(new Error('no room')));
    await expect(fail).rejects.toThrow('no room');
    const next = await preparedPostgres('a failure', ({ ownerUrl }) => query(ownerUrl, 'CREATE TABLE note (id int)'));
    await expect(query(next.adminUrl, 'SELECT * FROM note')).resolves.toEqual([]);
    await next.drop();
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}
