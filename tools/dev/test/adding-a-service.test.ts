import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { missingPrograms } from '@platform-backend/system-programs';
import { describeWhere } from '@platform-backend/testing/where';
import { globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyRepository, testCommand, type RepositoryCopy } from './repository-copy.ts';

/** The service of the page on either storage, side by side: what is checked of both is checked once. */
const services = { notes: 'postgres', tickets: 'mongo' } as const;
const names = Object.keys(services);
const folders = names.flatMap((name) => [`apps/${name}`, `protos/platform/${name}`]).join(' ');
const apps = names.map((name) => `apps/${name}`);

describeWhere(missingPrograms('git'), 'the page about adding a service', () => {
  let copy: RepositoryCopy;
  beforeAll(() => {
    copy = copyRepository();
    for (const [name, storage] of Object.entries(services)) {
      copy.run(`npm run --silent new-service -- ${name} --storage ${storage}`);
      // As `npm install` does it.
      symlinkSync(`../../apps/${name}`, join(copy.root, `node_modules/@platform-backend/${name}`));
      symlinkSync(`../../protos/platform/${name}`, join(copy.root, `node_modules/@platform-backend/contract-${name}`));
    }
  }, 300_000);
  afterAll(() => copy.remove());

  it('makes services that change no file of another one', () => {
    expect(copy.changed()).toEqual([
      'libs/contract/src/generated/options.ts',
      'libs/contract/src/generated/shared.binpb',
      'protos/all/generated/index.ts',
      'protos/all/package.json',
      'protos/platform/options/v1/options.proto',
    ]);
    expect(copy.run('npm run new-service -- notes --storage postgres', { status: 1 })).toContain('is there already');
  });

  it('makes services that the checks of formats, promises, types, lint and borders let through', () => {
    const { root, run } = copy;
    run(`oxfmt --check ${folders} && npm run --silent protos:lint`);
    run('npm run --silent protos:breaking');
    const together = { extends: './tsconfig.base.json', include: apps };
    writeFileSync(join(root, 'tsconfig.json'), JSON.stringify(together));
    run(`tsc --checkers 1 && oxlint ${apps.join(' ')}`);
    run('node tools/boundaries/src/main.ts');
  }, 300_000);

  it.each(Object.entries(services))(
    'makes %s on %s, which runs',
    (name) => {
      expect(copy.run(testCommand(`apps/${name}`))).toMatch(/^1 passed, 0 failed/m);
    },
    300_000,
  );

  it('makes the one on PostgreSQL in a hundred lines of TypeScript, tests apart', () => {
    const paths = globSync('apps/notes/{src,migrations}/**/*.ts', { cwd: copy.root, exclude: ['**/test'] });
    const lines = paths.flatMap((path) => readFileSync(join(copy.root, path), 'utf8').trimEnd().split('\n'));
    expect(lines.length).toBeLessThanOrEqual(100);
  });

  it('leaves what containers lack to checks that name it', () => {
    const checked = copy.run(
      `${testCommand('tools/deployment/test/deployment.test.ts')} -t 'every app|users of NATS'`,
      { status: 1 },
    );
    const lacking = ['apps/notes has no service.', 'NOTES_OWNER_PASSWORD is provided and never asked for.'];
    for (const sentence of [...lacking, 'user: notes, password: $NATS_NOTES_PASSWORD']) {
      expect(checked).toContain(sentence);
    }
  }, 300_000);
});
