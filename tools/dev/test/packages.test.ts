import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { terminalBar } from '../install-bar.mjs';
import { ensurePackages, hasPackages, removable } from '../packages.mjs';

describe('making sure that the packages are installed', () => {
  let root: string;
  let shown: { done: number; total: number }[];

  /** What it says. */
  const ensure = async (purpose: 'running' | 'working' = 'running'): Promise<string[]> => {
    const said: string[] = [];
    shown = [];
    await ensurePackages(root, purpose, {
      say: (text) => said.push(text),
      show: (state) => shown.push(state),
      end: () => undefined,
    });
    return said;
  };
  const write = (path: string, content: object): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), JSON.stringify(content));
  };
  const isThere = (name: string): boolean => existsSync(join(root, 'node_modules', name));

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'packages-'));
    write('package.json', { name: 'root', workspaces: ['libs/*'] });
    write('libs/one/package.json', { name: 'one', version: '1.0.0' });
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('installs when they are missing, and then not again', async () => {
    await expect(ensure()).resolves.toEqual([
      expect.stringContaining('this first time takes'),
      expect.stringMatching(/packages installed in \d+ s/),
    ]);
    expect(isThere('one')).toBe(true);
    await expect(ensure()).resolves.toEqual([]);
  });

  it('leaves the lock file as it is, whichever npm wrote it', async () => {
    const lock = {
      ...{ name: 'root', lockfileVersion: 3, requires: true },
      packages: { '': { name: 'root', workspaces: ['libs/*'] }, 'libs/one': { version: '1.0.0', libc: ['glibc'] } },
    };
    write('package-lock.json', lock);
    await ensure();
    expect(isThere('one')).toBe(true);
    expect(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))).toEqual(lock);
  });

  it('installs again when a project joined or changed', async () => {
    await ensure();
    write('libs/two/package.json', { name: 'two', version: '1.0.0' });
    await expect(ensure()).resolves.toContain('the packages changed; updating them');
    expect(isThere('two')).toBe(true);
  });

  it('says what npm said when an installation fails, and tries again the next time', async () => {
    write('libs/one/package.json', { name: 'one', dependencies: { two: 'file:no.tgz' } });
    await expect(ensure()).rejects.toThrow(/npm install failed:\n.*/);
    await expect(ensure()).rejects.toThrow(/npm install failed/);
  });

  describe('of which some are for working on the project alone', () => {
    beforeEach(() => {
      for (const name of ['engine', 'linter']) {
        write(`packages/${name}/package.json`, { name, version: '1.0.0' });
        for (const file of ['index.js', 'index.js.map', 'docs/index.json']) write(`packages/${name}/${file}`, {});
        spawnSync('npm', ['pack', `./packages/${name}`, '--silent'], { cwd: root });
      }
      const dependencies = { engine: 'file:engine-1.0.0.tgz' };
      const devDependencies = { linter: 'file:linter-1.0.0.tgz' };
      write('package.json', { name: 'root', workspaces: ['libs/*'], dependencies, devDependencies });
      spawnSync('npm', ['install', '--package-lock-only', '--no-audit'], { cwd: root });
    });

    it('installs no more than running needs', async () => {
      await ensure('running');
      expect([isThere('engine'), isThere('linter')]).toEqual([true, false]);
      expect([hasPackages(root, 'running'), hasPackages(root, 'working')]).toEqual([true, false]);
    });

    it('adds the others when they are wanted, and takes none away again', async () => {
      await ensure('running');
      await expect(ensure('working')).resolves.toContain('installing the packages that checks and tests need');
      expect([isThere('engine'), isThere('linter')]).toEqual([true, true]);
      expect(hasPackages(root, 'working')).toBe(true);
      await expect(ensure('running')).resolves.toEqual([]);
      write('libs/two/package.json', { name: 'two', version: '1.0.0' });
      await ensure('running');
      expect([isThere('two'), isThere('linter')]).toEqual([true, true]);
    });

    it('leaves of what runs only what somebody reads here', async () => {
      await ensure('working');
      for (const file of ['package.json', 'index.js.map', 'docs/index.json'])
        expect([file, isThere(`engine/${file}`)]).toEqual([file, file === 'package.json']);
      expect([isThere('linter/index.js.map'), isThere('linter/docs/index.json')]).toEqual([false, true]);
    });

    it('unpacks them anew when by other rules, or for another machine, something else was removed', async () => {
      await ensure('working');
      const stamp = join(root, 'node_modules/.platform-packages');
      const before = readFileSync(stamp, 'utf8');
      rmSync(join(root, 'node_modules/engine/index.js'));
      writeFileSync(stamp, before.replace(/\w+$/, 'otherwise'));
      await expect(ensure('running')).resolves.toContain('the packages changed; updating them');
      expect([isThere('engine/index.js'), isThere('linter/docs/index.json')]).toEqual([true, true]);
      expect(readFileSync(stamp, 'utf8')).toBe(before);
    });

    it('takes nothing away from somebody who installed by hand', async () => {
      spawnSync('npm', ['install', '--no-audit'], { cwd: root });
      await ensure('running');
      expect(isThere('linter')).toBe(true);
    });

    it('counts those that are unpacked, of all that it installs', async () => {
      await ensure('working');
      expect(shown.length).toBeGreaterThan(0);
      expect(shown.map(({ total }) => total)).toEqual(shown.map(() => 2));
      const counts = shown.map(({ done }) => done);
      expect(counts).toEqual(counts.toSorted((one, other) => one - other));
    });
  });

  it('leaves the Node that runs it where it is, when all packages are to be pruned anew', () => {
    const listed = ['node_modules/node', 'node_modules/node-fetch'].map((path) => ({ path }));
    const node = join(root, 'node_modules/node/bin/node');
    expect(removable(root, listed, node)).toEqual([join(root, 'node_modules/node-fetch')]);
    expect(removable(root, listed, '/usr/bin/node')).toHaveLength(2);
  });
});

describe('how far an installation is', () => {
  const showing = (isTTY: boolean, secondsOfStates: readonly number[]): string => {
    let written = '';
    const bar = terminalBar({ isTTY, write: (text: string | Uint8Array) => (written += String(text)) !== '' });
    bar.say('installing');
    for (const seconds of secondsOfStates) bar.show({ done: seconds * 10, total: 100, seconds });
    bar.end();
    return written;
  };
  const { CI } = process.env;

  beforeEach(() => {
    delete process.env['CI'];
  });
  afterEach(() => {
    if (CI !== undefined) process.env['CI'] = CI;
  });

  it('is a bar that moves in a terminal', () => {
    const lines = showing(true, [0, 3, 10]).split('\r\u001B[K');
    expect(lines.slice(2)).toEqual([
      '  [..............................] reading the list of packages, 0 s',
      '  [#########.....................] 30 of 100 packages, 3 s',
      '  [##############################] all 100 packages are there, setting up Node, 10 s',
      '',
    ]);
  });

  it('is a line every five seconds elsewhere', () => {
    expect(showing(false, [1, 2, 5, 6, 7, 9.9, 10])).toBe(
      'installing\n  ... 5 s, 50 of 100 packages\n  ... 10 s, all 100 packages are there, setting up Node\n',
    );
  });
});
