import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository } from '../src/settings.ts';

const RESULTS = join(repository, 'tools', 'dev', 'test-results');

describe('running tests', () => {
  let project: string;
  beforeEach(() => {
    mkdirSync(RESULTS, { recursive: true });
    project = mkdtempSync(join(RESULTS, 'project-'));
  });
  afterEach(() => {
    rmSync(project, { recursive: true });
  });

  it('runs a file that fails once more, and names it when it passes then', () => {
    write('src/steady.test.ts', `it('holds', () => undefined);`);
    write('src/unsteady.test.ts', failing(`existsSync('${project}/seen')`));
    expect(runTests()).toEqual({
      code: 0,
      totals: {
        passed: 2,
        failed: 0,
        skipped: 0,
        unsteady: [join(project, 'src/unsteady.test.ts').slice(repository.length + 1)],
      },
    });
  });

  it('says that a file failed which fails again, and what else passed', () => {
    write('src/steady.test.ts', `it('holds', () => undefined);`);
    write('src/broken.test.ts', failing('false'));
    expect(runTests()).toEqual({ code: 1, totals: { passed: 1, failed: 1, skipped: 0, unsteady: [] } });
  });

  it('counts a file that cannot be loaded as a failed test', () => {
    write('src/broken.test.ts', `throw new Error('not loaded');`);
    expect(runTests()).toEqual({ code: 1, totals: { passed: 0, failed: 1, skipped: 0, unsteady: [] } });
  });

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), `import { it } from '@jest/globals';\n${text}\n`);
  }

  const failing = (holds: string) => `import { existsSync, writeFileSync } from 'node:fs';
    it('is tried', () => {
      const holds = ${holds};
      writeFileSync('${project}/seen', '');
      if (!holds) throw new Error('it does not hold');
    });`;

  function runTests(): { code: number | null; totals: unknown } {
    const args = ['--config', 'jest.preset.mjs', '--rootDir', project, '--selectProjects', 'unit'];
    const { status } = spawnSync(process.execPath, ['tools/dev/run-tests.mjs', ...args], { cwd: repository });
    const totals: unknown = JSON.parse(readFileSync(join(project, 'test-results', 'unit.json'), 'utf8'));
    return { code: status, totals };
  }
});
