import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const main = resolve(import.meta.dirname, '../src/main.ts');

describe('the boundaries command', () => {
  let root: string;

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const check = (directory: string) => spawnSync(process.execPath, [main, directory], { encoding: 'utf8' });

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'boundaries-'));
    write('package.json', JSON.stringify({ workspaces: ['apps/*', 'libs/*'] }));
    write('libs/core/package.json', JSON.stringify({ name: '@platform-backend/core' }));
    write('libs/core/src/index.ts', 'export const one = 1;');
    write(
      'apps/shop/package.json',
      JSON.stringify({ name: '@platform-backend/shop', dependencies: { '@platform-backend/core': '*' } }),
    );
    write('apps/shop/src/main.ts', `import { one } from '@platform-backend/core';\nexport const two = one + one;`);
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('passes a clean workspace, then fails and names the place once a violation is planted', () => {
    expect(check(root)).toMatchObject({ status: 0, stdout: '2 files, no border crossed\n' });
    write('libs/core/src/leak.ts', `export * from '@platform-backend/shop';`);
    const { status, stdout } = check(root);
    expect(status).toBe(1);
    expect(stdout).toContain('libs/core/src/leak.ts:1 imports @platform-backend/shop: libraries may not build on apps');
    rmSync(join(root, 'libs/core/src/leak.ts'));
  });
});
