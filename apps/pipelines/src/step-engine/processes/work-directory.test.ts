import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { openWorkDirectory } from './work-directory.ts';

const DAY_MS = 86_400_000;

describe('the folder of a process', () => {
  let directory: string;
  beforeAll(async () => (directory = await mkdtemp(join(tmpdir(), 'work-'))));
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('is another one for each home, and is gone with its process', async () => {
    const [one, two] = [
      await openWorkDirectory({ directory, home: '/a' }),
      await openWorkDirectory({ directory, home: '/b' }),
    ];
    expect(dirname(one.own)).not.toBe(dirname(two.own));
    await writeFile(join(one.own, 'rows.parquet'), 'rows');
    await one.remove();
    expect(existsSync(one.own)).toBe(false);
    expect(existsSync(two.own)).toBe(true);
    await two.remove();
  });

  it('is removed by the next one when its process was killed, and those of others stay', async () => {
    const opened = await openWorkDirectory({ directory });
    const [parent, ownName] = [dirname(opened.own), basename(opened.own)];
    const killed = spawn(process.execPath, ['--eval', 'setTimeout(() => {}, 60000)']);
    const [exited, pid] = [once(killed, 'exit'), String(killed.pid)];
    killed.kill('SIGKILL');
    await exited;
    const make = async (name: string, silentMs = 0) => {
      await mkdir(join(parent, name));
      const at = new Date(Date.now() - silentMs);
      await utimes(join(parent, name), at, at);
      return join(parent, name);
    };
    const ofKilled = await make(`${pid}-7-${hostname()}`);
    // The number has been given to another one since.
    const ofFormer = await make(ownName.replace(/-\d+-/, '-7-'));
    const elsewhere = await make(`${pid}-7-elsewhere`);
    const longSilent = await make(`${pid}-8-elsewhere`, 2 * DAY_MS);
    const notOurs = await make('engine', 2 * DAY_MS);
    const again = await openWorkDirectory({ directory });
    expect([ofKilled, ofFormer, elsewhere, longSilent, notOurs, opened.own].map(existsSync)).toEqual([
      false,
      false,
      true,
      false,
      true,
      true,
    ]);
    await again.remove();
  });
});
