import { describe, expect, it } from '@jest/globals';
import { affectedApps, onePerFolder, tagPattern, withoutVersions } from './affected-apps.ts';

describe('which apps are to be released', () => {
  const apps = ['billing', 'gateway', 'identity'];

  it('are those that were never released', () => {
    expect(affectedApps({ apps, lastRelease: () => undefined, affectedSince: () => [] })).toEqual(apps);
  });

  it('are those that nx names since the last release of each, which may be another commit', () => {
    const asked: string[] = [];
    const tags: Record<string, string> = { billing: 'old', gateway: 'new', identity: 'new' };
    const affected: Record<string, string[]> = {
      old: ['@platform-backend/billing', '@platform-backend/core'],
      new: ['@platform-backend/gateway', '@platform-backend/billing'],
    };
    const affectedSince = (base: string): string[] => {
      asked.push(base);
      return affected[base] ?? [];
    };
    expect(affectedApps({ apps, lastRelease: (app) => tags[app], affectedSince })).toEqual(['billing', 'gateway']);
    expect(asked).toEqual(['old', 'new']);
  });

  it('are known by the tags that `nx release` gives', () => {
    expect(tagPattern('identity')).toBe('@platform-backend/identity@*');
  });

  it('are not all, because one of them has another version in the lock file; another package is another thing', () => {
    const lock = (app: string, pkg: string) => `"apps/identity": {
      "name": "@platform-backend/identity",
      "version": "${app}",
      "dependencies": {} },
    "node_modules/pg": {
      "version": "${pkg}" }`;
    expect(withoutVersions(lock('1.1.0', '8.0.0'))).toBe(withoutVersions(lock('1.0.0', '8.0.0')));
    expect(withoutVersions(lock('1.0.0', '8.0.1'))).not.toBe(withoutVersions(lock('1.0.0', '8.0.0')));
  });

  it('are asked for by one file of each project', () => {
    expect(
      onePerFolder([
        'nx.json',
        'apps/identity/src/a.ts',
        'apps/identity/src/b.ts',
        'protos/platform/billing/v1/a.proto',
      ]),
    ).toEqual(['nx.json', 'apps/identity/src/b.ts', 'protos/platform/billing/v1/a.proto']);
  });
});
