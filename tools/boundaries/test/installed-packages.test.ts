import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

interface LockedPackage {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const lockFile = resolve(import.meta.dirname, '../../../package-lock.json');
const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as { packages: Record<string, LockedPackage> };

/** The names of all packages that are installed for a project to run, as the image of an app installs them. */
function installedFor(directory: string): Set<string> {
  const found = new Set<string>();
  const names = new Set<string>();
  const add = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const name of Object.keys(packages[path]?.dependencies ?? {})) {
      names.add(name);
      const there = locationOf(name, path);
      add(packages[there]?.link ? (packages[there].resolved ?? there) : there);
    }
  };
  add(directory);
  return names;
}

/** Where Node finds a package from there: in the nearest `node_modules`. */
function locationOf(name: string, from: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') throw new Error(`${name}, which ${from} needs, is not in package-lock.json`);
  }
}

describe('the packages installed', () => {
  it('for the gateway include the client of NATS, and none of a database', () => {
    const installed = [...installedFor('apps/gateway')];
    expect(installed).toEqual(
      expect.arrayContaining(['@platform-backend/events', '@nats-io/jetstream', 'express-gateway']),
    );
    expect(installed).not.toContain('@platform-backend/postgres');
    expect(installed).not.toContain('pg');
    expect(installed).not.toContain('knex');
  });

  it('for a service with a database include its client, so that what is said of the gateway could fail', () => {
    expect([...installedFor('apps/identity')]).toEqual(
      expect.arrayContaining(['@platform-backend/postgres', 'pg', 'knex']),
    );
  });
});
