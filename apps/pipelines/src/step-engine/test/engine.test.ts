import { expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuckDb, prepareDuckDb } from '../program/duckdb.ts';

it('an engine has the time of nowhere for every job of a chain, wherever its machine is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'engine-'));
  let engine = await openDuckDb();
  try {
    await engine.connection.run(`SET GLOBAL TimeZone = 'Asia/Tokyo'`);
    const limits = { memoryBytes: 128 * 2 ** 20, seconds: 30, threads: 1, outputBytes: 2 ** 20, rows: 10 };
    await prepareDuckDb(engine.connection, { kind: 'CHECK', inputs: [], query: '', output: null, limits }, folder);
    engine = await engine.reconnect();
    const read = await engine.connection.runAndReadAll(`SELECT TIMESTAMPTZ '2026-01-01 00:00:00Z'::VARCHAR`);
    expect(read.getRowsJson()).toEqual([['2026-01-01 00:00:00+00']]);
  } finally {
    engine.close();
    await rm(folder, { recursive: true });
  }
});
