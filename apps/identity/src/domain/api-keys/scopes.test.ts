import { describe, expect, it } from '@jest/globals';
import { requireKnownAreas } from './scopes.ts';

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
          expect.objectContaining({ loc: ['body', 'scopes', 0], input: 'member:read' }),
          expect.objectContaining({ loc: ['body', 'scopes', 2], input: 'audit:read' }),
        ],
      }),
    );
  });
});
