import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePackages } from '../packages.mjs';

describe('making sure that the packages are installed', () => {
  let root: string;
  let said: string[];

  const ensure = async (): Promise<string[]> => {
    said = [];
    await ensurePackages(root, (text: string) => said.push(text));
    return said;
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'packages-'));
    writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'root', workspaces: ['libs/*'] }));
    mkdirSync(join(root, 'libs/one'), { recursive: true });
    writeFileSync(join(root, 'libs/one/package.json'), JSON.stringify({ name: 'one', version: '1.0.0' }));
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('installs when they are missing, and then not again', async () => {
    await expect(ensure()).resolves.toEqual([
      expect.stringContaining('this first time takes'),
      expect.stringMatching(/packages installed in \d+ s/),
    ]);
    expect(existsSync(join(root, 'node_modules/one'))).toBe(true);
    await expect(ensure()).resolves.toEqual([]);
  });

  it('installs again when a project joined or changed', async () => {
    await ensure();
    mkdirSync(join(root, 'libs/two'));
    writeFileSync(join(root, 'libs/two/package.json'), JSON.stringify({ name: 'two', version: '1.0.0' }));
    await expect(ensure()).resolves.toContain('the packages changed; updating them');
    expect(existsSync(join(root, 'node_modules/two'))).toBe(true);
  });

  it('says what npm said when that fails, and tries again the next time', async () => {
    writeFileSync(
      join(root, 'libs/one/package.json'),
      JSON.stringify({ name: 'one', dependencies: { two: 'file:no.tgz' } }),
    );
    await expect(ensure()).rejects.toThrow(/npm install failed:\n.*/);
    await expect(ensure()).rejects.toThrow(/npm install failed/);
  });
});
