import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '../../..');
const page = readFileSync(join(repository, 'docs/adding-an-endpoint.md'), 'utf8');
const patches = [...page.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, patch = '']) => patch);
const jest = (tests: string) =>
  'node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js' +
  ` --config jest.preset.mjs --rootDir apps/identity --selectProjects ${tests}`;
/** Names of the tests that know every operation, and of those about the new one. */
const tried = 'every operation|RenameClientGroup';

describe('the page about adding an endpoint', () => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'adding-an-endpoint-'));
    copyRepository(copy);
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  /** What a shell at the root of the copy printed; fails with it when the command does. */
  function run(command: string, input?: string): string {
    const { PATH = '' } = process.env;
    const env = { ...process.env, PATH: `${join(copy, 'node_modules/.bin')}:${PATH}`, NODE_OPTIONS: '' };
    const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: copy, env, input, encoding: 'utf8' });
    expect({ command, status, output: status === 0 ? '' : stdout + stderr }).toEqual({
      command,
      status: 0,
      output: '',
    });
    return stdout + stderr;
  }

  it('says all there is to do', () => {
    for (const patch of patches) run('git apply -C1 --recount', patch);
    run('npm run --silent generate');
    const written = run('npm run --silent generate && prettier --list-different apps libs protos/platform docs; true');
    expect(written).not.toMatch(/\.(ts|md)$/m);
    run('npm run --silent protos:lint');
    run('tsc -p apps/identity && tsc -p libs/contract');
    run('eslint --max-warnings 0 apps/identity/src/app/client-groups apps/identity/src/domain/client-groups');
    const [rule, tables] = [
      run(`${jest('unit')} --testPathPatterns change-client-group`),
      run(`${jest('integration')} --testPathPatterns permissions two-organisations -t '${tried}'`),
    ];
    for (const tests of [rule, tables]) expect(tests).toMatch(/^Tests:.* [1-9]\d* passed/m);
  }, 300_000);
});

/** The tracked files, and the installed packages by links; those of this repository are the copied ones. */
function copyRepository(copy: string): void {
  const { stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: repository, encoding: 'utf8' });
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(repository, file), join(copy, file));
  }
  for (const modules of globSync(['node_modules', '{apps,libs,tools}/*/node_modules'], { cwd: repository })) {
    mkdirSync(join(copy, modules), { recursive: true });
    for (const name of readdirSync(join(repository, modules))) {
      if (name !== '@platform') symlinkSync(join(repository, modules, name), join(copy, modules, name));
    }
  }
  // These links are relative, so that they lead to the copies.
  cpSync(join(repository, 'node_modules/@platform'), join(copy, 'node_modules/@platform'), {
    recursive: true,
    verbatimSymlinks: true,
  });
}
