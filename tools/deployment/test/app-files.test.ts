import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOfApp } from '../../../deploy/app-files.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const apps = readdirSync(join(repository, 'apps')).filter((name) =>
  existsSync(join(repository, 'apps', name, 'src/main.ts')),
);

describe('the files of an image', () => {
  it('are those of one app, of the libraries it uses and of the domains it serves or calls', () => {
    const identity = filesOfApp(repository, 'identity');
    expect(identity).toEqual(
      expect.arrayContaining(['apps/identity', 'protos/platform/identity', 'protos/platform/options']),
    );
    const foreign =
      /^(apps|protos\/platform)\/(billing|gateway|content|pipelines|notebooks)|^protos\/all|events\/v1\/billing/;
    expect(identity.filter((file) => foreign.test(file))).toEqual([]);
    expect(filesOfApp(repository, 'gateway')).not.toContain('libs/postgres');
    for (const app of apps)
      expect(filesOfApp(repository, app).filter((file) => /^(tools|e2e|bench)/.test(file))).toEqual([]);
  });
});

describe.each(apps)('the image of %s', (app) => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), `image-of-${app}-`));
    run(repository, ['deploy/app-files.ts', app, copy]);
    linkPackages(copy);
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it('starts as far as it can without its settings: no file and no package is missing', () => {
    const { status, output } = run(copy, [`apps/${app}/src/main.ts`]);
    expect(output).not.toContain('Cannot find');
    expect(output).toMatch(/is missing|is not set|must be/);
    expect(status).not.toBe(0);
  });

  it('reads the contracts that it has', () => {
    const script = `
      import { loadContract } from '@platform-backend/contract';
      for (const name of process.argv.slice(1)) {
        const [contract] = Object.values(await import(name));
        const { operations, protoImage } = loadContract(contract);
        if (operations.length === 0 || protoImage().length === 0) throw new Error(name);
      }`;
    const contracts = readdirSync(join(copy, 'node_modules/@platform-backend')).filter((name) =>
      name.startsWith('contract-'),
    );
    expect(contracts.length).toBeGreaterThan(0);
    const names = contracts.map((name) => `@platform-backend/${name}`);
    expect(run(copy, ['--input-type=module', '--eval', script, ...names])).toEqual({ status: 0, output: '' });
  });
});

function run(folder: string, parameters: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  return { status, output: stdout + stderr };
}

/** The installed packages by links, as npm would put them there; those of this repository only where they were copied. */
function linkPackages(copy: string): void {
  const link = (target: string, path: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  };
  for (const modules of globSync(['node_modules', '{apps,libs}/*/node_modules'], { cwd: repository })) {
    if (!existsSync(join(copy, dirname(modules)))) continue;
    for (const name of readdirSync(join(repository, modules))) {
      if (name !== '@platform-backend') link(join(repository, modules, name), join(copy, modules, name));
    }
  }
  for (const manifest of globSync(['{apps,libs}/*/package.json', 'protos/{*,platform/*}/package.json'], {
    cwd: copy,
  })) {
    const { name } = JSON.parse(readFileSync(join(copy, manifest), 'utf8')) as { name: string };
    link(join(copy, dirname(manifest)), join(copy, 'node_modules', name));
  }
}
