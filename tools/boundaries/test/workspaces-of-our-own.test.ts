import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readWorkspace } from '../src/workspace.ts';

interface LockedPackage {
  readonly name?: string;
  readonly link?: boolean;
  readonly resolved?: string;
}

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
const { projects } = readWorkspace(root);

const SCOPE = '@platform-backend/';
const directoryOf = new Map(projects.map(({ name, directory }) => [name, directory]));

/** What is installed there is called so: what stands behind the last `node_modules/`, unless the entry says otherwise. */
const nameOf = (path: string, { name }: LockedPackage): string => name ?? path.replace(/^.*node_modules\//, '');

describe('the workspaces', () => {
  it('are all named in a scope of our own', () => {
    expect(projects.length).toBeGreaterThan(0);
    expect(projects.filter(({ name }) => !name.startsWith(SCOPE))).toEqual([]);
  });

  it('are the only packages of that scope which another one may name', () => {
    const named = projects.flatMap(({ directory, dependencies, devDependencies }) =>
      [...dependencies, ...devDependencies].map((name) => ({ directory, name })),
    );
    const ours = named.filter(({ name }) => name.startsWith(SCOPE));
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.filter(({ name }) => !directoryOf.has(name))).toEqual([]);
  });

  it('are links to their folders in the lock file, each of them, and nothing else there bears such a name', () => {
    const links = Object.entries(packages).filter(
      ([path, locked]) => path.includes('node_modules/') && nameOf(path, locked).startsWith(SCOPE),
    );
    expect(links.filter(([, { link }]) => link !== true)).toEqual([]);
    expect(Object.fromEntries(links.map(([path, { resolved }]) => [path, resolved]))).toEqual(
      Object.fromEntries([...directoryOf].map(([name, directory]) => [`node_modules/${name}`, directory])),
    );
  });

  it('cannot be fetched: their scope is bound to a name that never resolves, wherever npm installs', () => {
    const [, registry = ''] = /^@platform-backend:registry=(\S+)$/m.exec(read('.npmrc')) ?? [];
    // RFC 6761 keeps this domain from ever being given to anybody.
    expect(new URL(registry).hostname).toMatch(/(^|\.)invalid$/);
    expect(read('deploy/Dockerfile')).toMatch(/^COPY package\.json package-lock\.json \.npmrc /m);
    expect(read('deploy/Dockerfile.dockerignore')).toMatch(/^!\.npmrc$/m);
  });
});
