import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findOnPath } from '@platform-backend/system-programs';
import { leaveOut } from '@platform-backend/testing/where';
import { MongoClient } from 'mongodb';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeMongo, freePort, isAlive, startMongod, type Mongod } from '../src/index.ts';
import { mongodVersion } from '../src/mongo/mongod.ts';
import { temporaryFolder } from './temporary-folder.ts';

const real = process.env['MONGOD_BINARY'] ?? findOnPath('mongod');
const binary = real ?? join(import.meta.dirname, 'fixtures/mongod.ts');
if (real === undefined) leaveOut('mongod is not installed: a stand-in takes its place where its start is tested');

describe('an embedded MongoDB', () => {
  const folder = temporaryFolder();
  const options = { binary, directory: join(folder.path, 'mongod'), logFile: join(folder.path, 'mongod.log') };
  let server: Mongod;

  beforeAll(async () => {
    server = await startMongod(options);
  });
  afterAll(async () => {
    await server.stop();
    folder.remove();
  });

  const membersOf = async (url: string): Promise<unknown> => {
    await using client = await MongoClient.connect(url);
    const { hosts, primary } = await client.db('admin').command({ hello: 1 });
    return { hosts: hosts as unknown, primary: primary as unknown };
  };

  it('is a replica set of one node, which has transactions, and says which version it is', async () => {
    const address = `127.0.0.1:${server.port}`;
    expect(await membersOf(server.url)).toEqual({ hosts: [address], primary: address });
    const version = await mongodVersion(binary);
    expect(await describeMongo(server.url)).toEqual({ version, address });
  });

  it('comes back on the same port after a stop', async () => {
    const { port } = server;
    expect(await server.stop()).toMatchObject({ code: 0 });
    server = await startMongod({ ...options, port });
    expect(server.url).toBe(`mongodb://127.0.0.1:${port}/`);
  });

  it('is still the primary of its set when it comes back on another port', async () => {
    await server.stop();
    const port = await freePort();
    server = await startMongod({ ...options, port });
    expect(await membersOf(server.url)).toMatchObject({ primary: `127.0.0.1:${port}` });
  });

  it('ends a server that an earlier run left on the same data', async () => {
    const left = server;
    server = await startMongod(options);
    expect(isAlive(left.pid)).toBe(false);
  });

  it('says that a fixed port is taken', async () => {
    const other = { ...options, directory: join(folder.path, 'other'), logFile: join(folder.path, 'other.log') };
    await expect(startMongod({ ...other, port: server.port })).rejects.toThrow(/address already in use/i);
    expect(readFileSync(other.logFile, 'utf8')).not.toContain('Waiting for connections');
  });

  it('is none where the program says nothing about a version', async () => {
    await expect(mongodVersion(process.execPath)).rejects.toThrow('--version says nothing about a version');
  });

  it('is described by nobody where nothing listens', async () => {
    await expect(describeMongo(`mongodb://127.0.0.1:${await freePort()}/`, 500)).rejects.toThrow('ECONNREFUSED');
  });
});
