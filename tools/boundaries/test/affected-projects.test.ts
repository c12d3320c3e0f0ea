import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { readWorkspace, type Project } from '../src/workspace.ts';

const root = resolve(import.meta.dirname, '../../..');
const { projects } = readWorkspace(root);

/** Each name once. */
const inOrder = (...names: string[]): string[] => [...new Set(names)].sort();

/** The project itself and all that build on it, over any number of steps. */
function thoseWhoBuildOn(name: string): string[] {
  const found = new Set([name]);
  const buildsOnFound = ({ dependencies, devDependencies }: Project) =>
    [...dependencies, ...devDependencies].some((dependency) => found.has(dependency));
  let before: number;
  do {
    before = found.size;
    for (const project of projects) if (buildsOnFound(project)) found.add(project.name);
  } while (found.size > before);
  return inOrder(...found);
}

function affectedBy(file: string): string[] {
  const nx = join(root, 'node_modules/.bin/nx');
  const environment = { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' };
  const answer = execFileSync(nx, ['show', 'projects', '--affected', '--json', '--files', file], {
    cwd: root,
    encoding: 'utf8',
    env: environment,
  });
  return (JSON.parse(answer) as string[]).sort();
}

describe('a change', () => {
  it.each(['protos/platform/billing/v1/credits.proto', 'protos/platform/events/v1/billing.proto'])(
    'of %s affects those who build on the contract of billing, and no other domain',
    (file) => {
      const affected = affectedBy(file);
      expect(affected).toEqual(
        inOrder(
          ...thoseWhoBuildOn('@platform-backend/contract-billing'),
          '@platform-backend/protos',
          '@platform-backend/dev',
        ),
      );
      expect(affected).toEqual(expect.arrayContaining(['@platform-backend/billing', '@platform-backend/gateway']));
      for (const untouched of [
        '@platform-backend/identity',
        '@platform-backend/contract',
        '@platform-backend/contract-identity',
      ]) {
        expect(affected).not.toContain(untouched);
      }
    },
  );

  it('of a domain without a service of its own affects no service', () => {
    const affected = affectedBy('protos/platform/pipelines/v1/pipelines.proto');
    expect(affected).toContain('@platform-backend/gateway');
    for (const service of ['@platform-backend/identity', '@platform-backend/billing'])
      expect(affected).not.toContain(service);
  });

  it('of our options affects the contract and those who build on it', () => {
    const affected = affectedBy('protos/platform/options/v1/options.proto');
    expect(affected).toEqual(inOrder(...thoseWhoBuildOn('@platform-backend/contract'), '@platform-backend/dev'));
    expect(affected).not.toContain('@platform-backend/embedded');
  });

  it('of a library affects those who build on it and what tries the whole repository', () => {
    const expected = inOrder(
      ...thoseWhoBuildOn('@platform-backend/events'),
      '@platform-backend/dev',
      '@platform-backend/e2e',
    );
    expect(affectedBy('libs/events/src/relay.ts')).toEqual(expected);
  });

  it('of the toolchain affects every project', () => {
    expect(affectedBy('tsconfig.base.json')).toEqual(projects.map(({ name }) => name).sort());
  });
});
