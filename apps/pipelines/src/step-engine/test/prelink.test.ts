import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWhere } from '@platform-backend/testing/where';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { prelink } from '../processes/prelink.ts';
import { prelinkedDuckDb } from '../processes/prelinked-duckdb.ts';
import { duckDbLibrary } from '../processes/step-program.ts';

/** How many names the loader of the system looks up for a program that loads this addon, also where they are called later. */
async function lookedUp(addon: string): Promise<number> {
  const program = `process.dlopen({ exports: {} }, ${JSON.stringify(addon)})`;
  const env = { LD_DEBUG: 'statistics', LD_BIND_NOW: '1' };
  const { stderr } = await promisify(execFile)(process.execPath, ['--eval', program], { env });
  return Number(/final number of relocations: (\d+)/.exec(stderr)?.[1]);
}

const lack =
  process.platform === 'linux' && process.arch === 'x64' ? undefined : 'only engines for Linux on x64 are prelinked';

describeWhere(lack, 'a prelinked engine', () => {
  let directory: string;
  beforeAll(async () => (directory = await mkdtemp(join(tmpdir(), 'prelink-'))));
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('looks up but few of the names that it looks up as it came', async () => {
    const prelinkedOne = await prelinkedDuckDb(directory, directory);
    const [before, now] = [await lookedUp(duckDbLibrary()), await lookedUp(prelinkedOne)];
    expect(before).toBeGreaterThan(20_000);
    expect(now).toBeLessThan(before / 4);
  });

  it('is one for all who want it at the same time, and nothing else is left', async () => {
    const shared = join(directory, 'shared');
    const [one, ...others] = await Promise.all([1, 2, 3].map(() => prelinkedDuckDb(shared, directory)));
    expect(others).toEqual([one, one]);
    expect(await readdir(shared)).toEqual([basename(dirname(String(one)))]);
  });

  it('is not made of a file of another kind, which stays as it is', async () => {
    const file = join(directory, 'other');
    await copyFile(import.meta.filename, file);
    const other = await open(file, 'r+');
    expect(await prelink(other)).toBe(false);
    await other.close();
    expect(await readFile(file)).toEqual(await readFile(import.meta.filename));
  });
});
