import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeHome } from '../src/home.ts';

describe('making PLATFORM_HOME', () => {
  let folder: string;
  let programs: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'home-'));
    programs = join(folder, 'programs');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('makes all folders on the way, and again changes nothing', () => {
    const home = join(folder, 'new', 'home');
    makeHome(home, programs);
    makeHome(home, programs);
    expect(statSync(join(home, 'logs')).isDirectory()).toBe(true);
  });

  it('has fetched programs once for all homes, but not for one that has a folder of its own', () => {
    const [one = '', other = '', own = ''] = ['one', 'other', 'own'].map((name) => join(folder, name));
    mkdirSync(join(own, 'programs'), { recursive: true });
    for (const home of [one, other, own]) makeHome(home, programs);
    writeFileSync(join(one, 'programs', 'nats-server'), '');
    expect([other, own].map((home) => existsSync(join(home, 'programs', 'nats-server')))).toEqual([true, false]);
  });

  it('fails with a sentence where a file stands in the way', () => {
    writeFileSync(join(folder, 'file'), '');
    const home = join(folder, 'file', 'home');
    expect(() => makeHome(home, programs)).toThrow(`PLATFORM_HOME ${home} cannot be used as a folder (EEXIST).`);
  });

  it('fails with a sentence, and does not try for ever, where no folder can be made', () => {
    // In a process of its own: what tries for ever cannot be interrupted in ours.
    const module = JSON.stringify(new URL('../src/home.ts', import.meta.url).href);
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { makeHome } from ${module}; makeHome('/proc/none/home', '/proc/none/programs');`,
      ],
      { encoding: 'utf8', timeout: 120_000 },
    );
    expect(status).toBe(1);
    expect(stderr).toContain('PLATFORM_HOME /proc/none/home cannot be used as a folder (ENOENT).');
  });
});
