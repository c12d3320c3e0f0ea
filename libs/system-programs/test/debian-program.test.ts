import { afterAll, describe, expect, it } from '@jest/globals';
import { itWhere } from '@platform-backend/testing/where';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianProgram, findOnPath, missingPrograms } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'programs-'));
const hello = { program: 'hello', debianPackage: 'hello', cacheDirectory: folder };
const isThere = findOnPath('hello') === undefined ? undefined : 'the package hello is installed';
const lack = missingPrograms('apt-get', 'dpkg') ?? isThere;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a program of Debian', () => {
  it('is found on PATH first, which needs no folder', async () => {
    expect(await debianProgram({ program: 'sh', debianPackage: 'dash' })).toBe(findOnPath('sh'));
  });

  it('is not fetched without a folder to keep it', async () => {
    expect(await debianProgram({ program: 'no-such-program', debianPackage: 'no-such-package' })).toBeUndefined();
  });

  itWhere(lack, 'is unpacked from its Debian package once', async () => {
    const progress: string[] = [];
    const onProgress = (text: string): void => void progress.push(text);
    const found = await debianProgram({ ...hello, onProgress });
    expect(spawnSync(found ?? '', ['--greeting=unpacked'], { encoding: 'utf8' }).stdout).toBe('unpacked\n');
    const said = progress.length;
    expect(await debianProgram({ ...hello, onProgress })).toBe(found);
    expect([progress.length, readdirSync(folder)]).toEqual([said, ['hello']]);
  });

  itWhere(lack, 'is unpacked for each who asks at once on a machine that has no package lists yet', async () => {
    const configuration = join(folder, 'apt.conf');
    writeFileSync(configuration, `Dir::State::Lists "${mkdtempSync(join(folder, 'no-lists-'))}";`);
    process.env['APT_CONFIG'] = configuration;
    const cacheDirectories = [1, 2].map(() => mkdtempSync(join(folder, 'cache-')));
    const found = await Promise.all(
      cacheDirectories.map((cacheDirectory) => debianProgram({ ...hello, cacheDirectory })),
    );
    expect(found).toEqual(cacheDirectories.map((directory) => join(directory, 'hello')));
    expect(cacheDirectories.map((directory) => readdirSync(directory))).toEqual([['hello'], ['hello']]);
  });

  itWhere(lack, 'that no package has is missing, and leaves nothing behind', async () => {
    const none = { program: 'no-such-program', debianPackage: 'no-such-package', cacheDirectory: folder };
    expect(await debianProgram(none)).toBeUndefined();
    expect(readdirSync(folder).filter((name) => name.startsWith('unpack-'))).toEqual([]);
  });
});
