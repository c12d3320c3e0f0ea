import { describe, expect, it } from '@jest/globals';
import { affectedApps, tagPattern } from './affected-apps.ts';

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
});
