import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { copyRepository, jestIn, type RepositoryCopy } from './repository-copy.ts';

/** Makes the service of the page in a copy of the repository, and has everything checked that the page says. */
function begin({ root, run }: RepositoryCopy, storage: 'postgres' | 'mongo'): void {
  run(`npm run --silent new-service -- notes --storage ${storage}`);
  // As `npm install` does it.
  symlinkSync('../../apps/notes', join(root, 'node_modules/@platform-backend/notes'));
  symlinkSync('../../protos/platform/notes', join(root, 'node_modules/@platform-backend/contract-notes'));
  run('prettier --check apps/notes protos/platform/notes && npm run --silent protos:lint');
  run('npm run --silent protos:breaking');
  run('tsc -p apps/notes && eslint --max-warnings 0 apps/notes');
  run('node tools/boundaries/src/main.ts');
  expect(run(jestIn('apps/notes', 'integration'))).toMatch(/^Tests:.* 1 passed, 1 total/m);
}

/** Lines of its TypeScript, tests apart. */
const linesOf = ({ root }: RepositoryCopy): number =>
  globSync('apps/notes/{src,migrations}/**/*.ts', { cwd: root }).flatMap((path) =>
    readFileSync(join(root, path), 'utf8').trimEnd().split('\n'),
  ).length;

describe('the page about adding a service', () => {
  it('makes one on PostgreSQL that runs, in a hundred lines, and the checks name what containers lack', () => {
    const copy = copyRepository();
    try {
      begin(copy, 'postgres');
      expect(linesOf(copy)).toBeLessThanOrEqual(100);
      const checked = copy.run(
        `${jestIn('tools/deployment', 'integration')} --testPathPatterns /deployment.test -t 'every app|users of NATS'`,
        { status: 1 },
      );
      const lacking = ['apps/notes has no service.', 'NOTES_OWNER_PASSWORD is provided and never asked for.'];
      for (const sentence of [...lacking, 'user: notes, password: $NATS_NOTES_PASSWORD']) {
        expect(checked).toContain(sentence);
      }
      expect(copy.run('npm run new-service -- notes --storage postgres', { status: 1 })).toContain('is there already');
    } finally {
      copy.remove();
    }
  }, 600_000);

  it('makes one on MongoDB that runs', () => {
    const copy = copyRepository();
    try {
      begin(copy, 'mongo');
    } finally {
      copy.remove();
    }
  }, 600_000);
});
