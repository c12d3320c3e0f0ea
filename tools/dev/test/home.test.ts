import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeHome } from '../src/home.ts';

describe('making PLATFORM_HOME', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'home-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('makes all folders on the way, and again changes nothing', () => {
    const home = join(folder, 'new', 'home');
    makeHome(home);
    makeHome(home);
    expect(statSync(join(home, 'logs')).isDirectory()).toBe(true);
  });

  it('says so where a file is in the way', () => {
    writeFileSync(join(folder, 'file'), '');
    const home = join(folder, 'file', 'home');
    expect(() => makeHome(home)).toThrow(`PLATFORM_HOME ${home} cannot be used as a folder (EEXIST).`);
  });

  it('says so, and does not try for ever, where nothing can be made', () => {
    // In a process of its own: what tries for ever cannot be interrupted in ours.
    const module = JSON.stringify(new URL('../src/home.ts', import.meta.url).href);
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', `import { makeHome } from ${module}; makeHome('/proc/none/home');`],
      { encoding: 'utf8', timeout: 120_000 },
    );
    expect(status).toBe(1);
    expect(stderr).toContain('PLATFORM_HOME /proc/none/home cannot be used as a folder (ENOENT).');
  });
});
