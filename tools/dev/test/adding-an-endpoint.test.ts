import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { missingPrograms } from '@platform-backend/system-programs';
import { describeWhere } from '@platform-backend/testing/where';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyRepository, repository, testCommand, type RepositoryCopy } from './repository-copy.ts';

const page = readFileSync(join(repository, 'docs/adding-an-endpoint.md'), 'utf8');
const patches = [...page.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, patch = '']) => patch);
/** Names of the tests that know every operation, and of those about the new one. */
const tried = 'every operation|RenameClientGroup';

describeWhere(missingPrograms('git'), 'the page about adding an endpoint', () => {
  let copy: RepositoryCopy;
  beforeAll(() => {
    copy = copyRepository();
  });
  afterAll(() => copy.remove());

  it('leads to an operation that passes every check, when it is followed as it is written', () => {
    const { run } = copy;
    for (const patch of patches) run('git apply -C1 --recount', { input: patch });
    run('npm run --silent generate');
    // What else there is was in order before.
    const touched = copy.changed().filter((file) => /\.(ts|md)$/.test(file));
    const written = run(`oxfmt --list-different ${touched.join(' ')} apps/identity protos/platform/identity; true`);
    expect(written).not.toMatch(/\.(ts|md)$/m);
    run('npm run --silent protos:lint');
    run('tsc -p apps/identity --checkers 1 && tsc -p libs/contract --checkers 1');
    run('oxlint apps/identity/src/client-groups');
    const [rule, tables] = [
      run(testCommand('apps/identity/src/client-groups/domain')),
      run(`${testCommand('apps/identity/test/service-suites.test.ts')} -t '${tried}'`),
    ];
    for (const tests of [rule, tables]) expect(tests).toMatch(/^[1-9]\d* passed, 0 failed/m);
  }, 300_000);
});
