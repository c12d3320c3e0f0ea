import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itWhere } from '@platform-backend/testing/where';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createServiceDatabase, isAlive, startPostgres, unprivilegedUser, type Postgres } from '../src/index.ts';
import { recoverySign } from '../src/postgres/postgres-recovery.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const directory = join(folder.path, 'postgres');
const logFile = join(folder.path, 'postgres.log');

afterAll(() => folder.remove());

describe('an embedded PostgreSQL', () => {
  let server: Postgres;

  beforeAll(async () => {
    chmodSync(folder.path, 0o755);
    server = await startPostgres({ directory, logFile });
    await query(server.url, 'CREATE TABLE note (text text)');
  });

  afterAll(() => server.stop());

  it('lets nobody in without the password, which only its owner can read', async () => {
    const url = new URL(server.url);
    url.password = 'guess';
    await expect(query(url.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    expect(statSync(join(directory, 'password')).mode & 0o777).toBe(0o600);
  });

  it('keeps its data over a stop and a crash', async () => {
    await query(server.url, `INSERT INTO note VALUES ('before the stop')`);
    await expect(server.stop()).resolves.toEqual({ code: 0, signal: null });
    server = await startPostgres({ directory, logFile });
    await query(server.url, `INSERT INTO note VALUES ('before the crash')`);
    await server.kill();
    server = await startPostgres({ directory, logFile });
    await expect(query(server.url, 'SELECT text FROM note')).resolves.toEqual([
      { text: 'before the stop' },
      { text: 'before the crash' },
    ]);
  });

  it('says of a recovery that it gets on, from the first change to the last', async () => {
    const table = `CREATE TABLE heap AS SELECT number, repeat('x', 100) FROM generate_series(1, 100000) AS number`;
    await query(server.url, table);
    await query(server.url, `UPDATE heap SET number = number + 1`);
    await server.kill();
    const recoveryLog = join(folder.path, 'recovery.log');
    server = await startPostgres({
      directory,
      logFile: recoveryLog,
      settings: { log_startup_progress_interval: '1ms' },
    });
    await expect(query(server.url, 'SELECT count(*)::int FROM heap')).resolves.toEqual([{ count: 100_000 }]);
    const lines = readFileSync(recoveryLog, 'utf8').split('\n');
    const said = lines.flatMap((line) => recoverySign(line)?.doing ?? []).join('\n');
    expect(said).toMatch(/^is recovering after a crash$/m);
    expect(said).toMatch(
      /^is recovering after a crash: repeating its last changes, at [0-9A-F]+\/[0-9A-F]+ \(\d+ s\)$/m,
    );
    expect(said).toMatch(/^is recovering after a crash: writing the result$/m);
  });

  it('ends a server that an earlier run left on the same data', async () => {
    const left = server;
    server = await startPostgres({ directory, logFile });
    expect(isAlive(left.pid)).toBe(false);
    await expect(query(server.url, 'SELECT count(*)::int FROM note')).resolves.toEqual([{ count: 2 }]);
  });

  it('says at once that a fixed port is taken', async () => {
    const other = { directory: join(folder.path, 'other'), logFile: join(folder.path, 'other.log') };
    await expect(startPostgres({ ...other, port: server.port })).rejects.toThrow(/could not bind/);
  });

  it('brings a service database to the same state however often it is asked', async () => {
    const request = { serverUrl: server.url, name: 'shop', ownerPassword: 'old', appPassword: "it's @ new/√" };
    await createServiceDatabase(request);
    const { ownerUrl, appUrl } = await createServiceDatabase({ ...request, ownerPassword: 'new' });
    await query(ownerUrl, 'CREATE TABLE goods (id int)');
    await expect(query(appUrl, 'SELECT * FROM goods')).rejects.toThrow('permission denied');
    await expect(query(appUrl, 'CREATE TABLE mine (id int)')).rejects.toThrow('permission denied');
  });

  it('keeps a service out of the databases of others', async () => {
    const request = { serverUrl: server.url, ownerPassword: 'a', appPassword: 'b' };
    const bank = await createServiceDatabase({ ...request, name: 'bank' });
    const { appUrl } = await createServiceDatabase({ ...request, name: 'tower' });
    const intruder = new URL(appUrl);
    intruder.pathname = `/${bank.name}`;
    await expect(query(intruder.href, 'SELECT 1')).rejects.toThrow('permission denied');
  });
});

describe('a PostgreSQL data folder', () => {
  const broken = join(folder.path, 'broken');
  const start = (): Promise<Postgres> => startPostgres({ directory: broken, logFile });

  it('that is not complete is refused, and left as it is', async () => {
    mkdirSync(join(broken, 'data'), { recursive: true });
    writeFileSync(join(broken, 'data/something'), 'of mine');
    await expect(start()).rejects.toThrow('is not a complete PostgreSQL data folder');
    expect(statSync(join(broken, 'data/something')).size).toBe(7);
    rmSync(broken, { recursive: true });
  });

  it('of another major version is refused', async () => {
    await (await start()).stop();
    writeFileSync(join(broken, 'data/PG_VERSION'), '15\n');
    await expect(start()).rejects.toThrow('was written by PostgreSQL 15');
  });

  it('that lost a file makes the start fail with the reason', async () => {
    writeFileSync(join(broken, 'data/PG_VERSION'), '18\n');
    unlinkSync(join(broken, 'data/global/pg_control'));
    await expect(start()).rejects.toThrow(/pg_control/);
  });

  const noRoot = unprivilegedUser() === undefined ? 'PostgreSQL runs under the account of this process' : undefined;
  itWhere(noRoot, 'below a folder that shuts the server’s account out is kept where it can be reached', async () => {
    const shut = join(folder.path, 'shut');
    mkdirSync(shut, { mode: 0o700 });
    const server = await startPostgres({ directory: join(shut, 'postgres'), logFile });
    try {
      expect(server.directory).toMatch(/^\/var\/lib\/platform\/[0-9a-f]{12}\/postgres$/);
      await expect(query(server.url, 'SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
    } finally {
      await server.stop();
      rmSync(join(server.directory, '..'), { recursive: true, force: true });
    }
  });
});

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
