import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pythonSnapshot } from '../providers/pyodide/python-snapshot.ts';

describe('a snapshot of Python', () => {
  const { TMPDIR } = process.env;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'snapshots-'));
    process.env['TMPDIR'] = folder;
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });

  it('is made once, whole, whoever asks at the same moment, and is there for this user alone', async () => {
    const [file, same] = await Promise.all([pythonSnapshot(), pythonSnapshot()]);
    expect(same).toBe(file);
    const { ino } = statSync(file);
    expect(statSync(await pythonSnapshot()).ino).toBe(ino);
    expect(readdirSync(dirname(file))).toHaveLength(1);
    expect([dirname(file), file].map((path) => statSync(path).mode & 0o077)).toEqual([0, 0]);
  });

  it('is not taken from a folder that others may write to', async () => {
    const file = await pythonSnapshot();
    chmodSync(dirname(file), 0o777);
    await expect(pythonSnapshot()).rejects.toThrow('is not ours alone');
  });
});
