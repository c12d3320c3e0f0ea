import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeTestDirectory } from '../src/test-directory.ts';

describe('the folder of a test run', () => {
  const { TMPDIR } = process.env;
  let parent: string;
  beforeEach(() => {
    parent = process.env['TMPDIR'] = mkdtempSync(join(tmpdir(), 'runs-'));
  });
  afterEach(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
    rmSync(parent, { recursive: true });
  });

  it('is where TMPDIR says, and servers may write to it that run as somebody else', () => {
    const directory = makeTestDirectory();
    expect(dirname(directory)).toBe(parent);
    expect(statSync(directory).mode & 0o7777).toBe(0o1777);
  });

  it('replaces the folders of runs that were killed, and of no other', () => {
    const { pid: ended } = spawnSync('true');
    const [left, going, others] = [`tests-${ended}-aaaaaa`, `tests-${process.pid}-bbbbbb`, 'another'].map((name) =>
      join(parent, name),
    ) as [string, string, string];
    for (const path of [left, going, others]) mkdirSync(path);
    makeTestDirectory();
    expect([left, going, others].map(existsSync)).toEqual([false, true, true]);
  });

  it('is made although one that was left cannot be removed, as while another run removes it', () => {
    const left = join(parent, `tests-${spawnSync('true').pid}-aaaaaa`);
    mkdirSync(left);
    // Who may not mount anything finds it removed, which is right as well.
    const isMounted = spawnSync('mount', ['-t', 'tmpfs', 'none', left]).status === 0;
    try {
      expect(existsSync(makeTestDirectory())).toBe(true);
      expect(existsSync(left)).toBe(isMounted);
    } finally {
      if (isMounted) spawnSync('umount', [left]);
    }
  });
});
