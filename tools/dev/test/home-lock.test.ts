import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockHome } from '../src/home-lock.ts';

describe('the lock of a home', () => {
  let home: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'home-lock-'));
  });

  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('is held by one at a time, and free again after its release', () => {
    const lock = lockHome(home);
    expect(() => lockHome(home)).toThrow(`already runs (process ${process.pid})`);
    lock.release();
    lockHome(home).release();
    expect(readdirSync(home)).toEqual([]);
  });

  it.each([
    ['its holder is gone', JSON.stringify({ pid: 2 ** 22 + 1, startTime: '1' })],
    ['its process id belongs to another program by now', JSON.stringify({ pid: process.pid, startTime: '1' })],
    ['it was cut off while being written', '{"pid":'],
  ])('is taken over when %s', (_why, text) => {
    writeFileSync(join(home, 'lock'), text);
    lockHome(home).release();
    expect(readdirSync(home)).toEqual([]);
  });
});
