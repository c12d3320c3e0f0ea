import { describe, expect, it } from '@jest/globals';
import { includesScopes, requireKnownAreas } from './scopes.ts';

const areas = new Set(['members', 'client_groups']);

describe('the scopes asked for', () => {
  it('may be of every area there is, and of all together', () => {
    expect(() => requireKnownAreas(['members:read', 'client_groups:admin', '*:write'], areas)).not.toThrow();
    expect(() => requireKnownAreas([], areas)).not.toThrow();
  });

  it('are refused one by one, each at its place, when there is no such area', () => {
    expect(() => requireKnownAreas(['member:read', 'members:read', 'audit:read'], areas)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        violations: [
          expect.objectContaining({
            loc: ['body', 'scopes', 0],
            input: 'member:read',
            msg: 'Value error, there is no such area; there are client_groups, members, and * for all of them',
          }),
          expect.objectContaining({ loc: ['body', 'scopes', 2], input: 'audit:read' }),
        ],
      }),
    );
  });
});

describe('scopes of API keys', () => {
  it.each([
    [['*:admin'], ['members:write', 'client_groups:admin', '*:read']],
    [
      ['*:read', 'members:admin'],
      ['members:write', 'client_groups:read', 'members:read'],
    ],
    [['members:write'], ['members:write', 'members:read', 'members:read']],
    [['members:read'], []],
    [[], []],
  ])('%j include %j', (wider, narrower) => {
    expect(includesScopes(wider, narrower)).toBe(true);
  });

  it.each([
    [['members:read'], ['members:write']],
    [['members:write'], ['members:admin']],
    [['members:admin'], ['client_groups:read']],
    [['members:admin'], ['*:read']],
    [
      ['*:read', 'members:admin'],
      ['members:admin', 'client_groups:write'],
    ],
    [[], ['members:read']],
    [['members:admin'], ['members:owner']],
    [['members:owner'], ['members:owner']],
  ])('%j do not include %j', (wider, narrower) => {
    expect(includesScopes(wider, narrower)).toBe(false);
  });
});
