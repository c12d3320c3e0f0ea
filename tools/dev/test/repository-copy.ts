import { expect } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export const repository = resolve(import.meta.dirname, '../../..');

export interface RepositoryCopy {
  readonly root: string;
  /** What a shell at its root printed; fails with it when the command ends in another way than expected. */
  readonly run: (command: string, given?: { input?: string; status?: number }) => string;
  readonly remove: () => void;
}

/** The tracked files, and the installed packages by links; those of this repository are the copied ones. */
export function copyRepository(): RepositoryCopy {
  const root = mkdtempSync(join(tmpdir(), 'repository-'));
  const { stdout: tracked } = spawnSync('git', ['ls-files', '-z'], { cwd: repository, encoding: 'utf8' });
  for (const file of tracked.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(repository, file), join(root, file));
  }
  for (const modules of globSync(['node_modules', '{apps,libs,tools}/*/node_modules'], { cwd: repository })) {
    mkdirSync(join(root, modules), { recursive: true });
    for (const name of readdirSync(join(repository, modules))) {
      if (name !== '@platform-backend') symlinkSync(join(repository, modules, name), join(root, modules, name));
    }
  }
  // These links are relative, so that they lead to the copies.
  cpSync(join(repository, 'node_modules/@platform-backend'), join(root, 'node_modules/@platform-backend'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  return {
    root,
    run(command, { input, status: expected = 0 } = {}) {
      const { PATH = '' } = process.env;
      const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
        cwd: root,
        env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${PATH}`, NODE_OPTIONS: '' },
        input,
        encoding: 'utf8',
      });
      const output = status === expected ? '' : stdout + stderr;
      expect({ command, status, output }).toEqual({ command, status: expected, output: '' });
      return stdout + stderr;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The command that runs tests of a project, at the root of the repository. */
export const jestIn = (project: string, tests: string): string =>
  'node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js' +
  ` --config jest.preset.mjs --rootDir ${project} --forceExit --selectProjects ${tests}`;
