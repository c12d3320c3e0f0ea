import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { missingPrograms } from '@platform-backend/system-programs';
import { processEnvironment, repetitions, runDirectory } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './helm.ts';

/** `nx` is asked half a dozen times. */
const shortLack = repetitions({ usual: 0, long: 1 }) === 0 ? 'npm run test:long makes a release in a clone' : undefined;
const lack = missingPrograms('git') ?? (existsSync(join(root, '.git')) ? undefined : 'this is no clone') ?? shortLack;
const apps = ['billing', 'content', 'gateway', 'identity', 'notebooks', 'pipelines'];

describeWhere(lack, 'a release of one app', () => {
  let clone: string;

  const run = async (program: string, ...args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(program, args, {
      cwd: clone,
      env: {
        ...processEnvironment(),
        PATH: process.env['PATH'],
        NX_DAEMON: 'false',
        ...Object.fromEntries(
          ['AUTHOR', 'COMMITTER'].flatMap((who) => [
            [`GIT_${who}_NAME`, 'somebody'],
            [`GIT_${who}_EMAIL`, 'somebody@example.com'],
          ]),
        ),
      },
    });
    return stdout.trim();
  };
  const read = (path: string): string => readFileSync(join(clone, path), 'utf8');

  const versionOf = (app: string): string =>
    (JSON.parse(read(`apps/${app}/package.json`)) as { version: string }).version;
  const tagOf = (app: string): string => `@platform-backend/${app}@${versionOf(app)}`;

  beforeAll(async () => {
    clone = mkdtempSync(join(runDirectory(), 'release-'));
    await run('git', 'clone', '--quiet', '--no-tags', root, '.');
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
    writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
    for (const app of apps) await run('git', 'tag', tagOf(app));
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  const affected = async () =>
    JSON.parse(await run(process.execPath, 'tools/deployment/src/affected-apps.ts')) as string[];

  it('is made of what has changed: its version in three files, its changelog, its tag, and nobody else’s', async () => {
    expect(await affected()).toEqual([]);
    const [major, minor] = versionOf('identity').split('.').map(Number);
    const next = `${major}.${(minor ?? 0) + 1}.0`;
    appendFileSync(join(clone, 'apps/identity/src/events.ts'), '\n// changed\n');
    await run('git', 'commit', '--quiet', '--all', '--message', 'feat(identity): groups have a colour');
    expect(await affected()).toEqual(['identity']);

    await run('node_modules/.bin/nx', 'release', 'minor', '--projects=@platform-backend/identity', '--skip-publish');
    expect(await run('git', 'status', '--porcelain')).toBe('');
    expect(await run('git', 'tag', '--points-at', 'HEAD')).toBe(`@platform-backend/identity@${next}`);
    const changed = (await run('git', 'show', '--name-only', '--format=', 'HEAD')).split('\n');
    expect(changed.toSorted()).toEqual([
      'apps/identity/CHANGELOG.md',
      'apps/identity/package.json',
      'deploy/helm/platform/files/facts.json',
      'package-lock.json',
    ]);
    const changelog = read('apps/identity/CHANGELOG.md');
    expect(changelog.startsWith(`## ${next} `)).toBe(true);
    expect(changelog).toContain('groups have a colour');
    const facts = JSON.parse(read('deploy/helm/platform/files/facts.json')) as {
      apps: Record<string, { version: string }>;
    };
    expect(apps.map((app) => facts.apps[app]?.version)).toEqual(apps.map(versionOf));
    expect(versionOf('identity')).toBe(next);
    expect(await affected()).toEqual([]);
  });
});
