import { expect } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export const repository = resolve(import.meta.dirname, '../../..');

export interface RepositoryCopy {
  readonly root: string;
  /** What a shell at its root printed; fails with it when the command ends in another way than expected. */
  readonly run: (command: string, given?: { input?: string; status?: number }) => string;
  /** Tracked files that are no longer as they were copied, in alphabetical order. */
  readonly changed: () => string[];
  readonly remove: () => void;
}

/** The tracked files, and the installed packages by links; those of this repository are the copied ones. */
export function copyRepository(): RepositoryCopy {
  const root = mkdtempSync(join(tmpdir(), 'repository-'));
  const { stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: repository, encoding: 'utf8' });
  const tracked = stdout.split('\0').filter((name) => name !== '');
  for (const file of tracked) {
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
        // GOGC: types and lint take less of a processor for more memory, as in the checks of npm test.
        env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${PATH}`, NODE_OPTIONS: '', GOGC: '400' },
        input,
        encoding: 'utf8',
      });
      const output = status === expected ? '' : stdout + stderr;
      expect({ command, status, output }).toEqual({ command, status: expected, output: '' });
      return stdout + stderr;
    },
    changed: () =>
      tracked.filter((file) => !readFileSync(join(root, file)).equals(readFileSync(join(repository, file)))).sort(),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The command that runs tests at the root of the repository: those in folders, in files, or with parts of a name. */
export const testCommand = (...selected: string[]): string => `node tools/dev/src/test.ts ${selected.join(' ')}`;
