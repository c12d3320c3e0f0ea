import { describe, expect, it } from '@jest/globals';
import { expectedAccess, type Credential } from './expected-access.ts';

const write = {
  access: { credentials: ['TOKEN', 'API_KEY'], level: 'EDITOR', area: 'documents', services: [] },
} as Parameters<typeof expectedAccess>[0];
const key = (scope: string, creator: 'EDITOR' | 'VIEWER' = 'EDITOR'): Credential => ({
  kind: 'API key',
  creator,
  scope,
});

describe('what a credential should be allowed', () => {
  it('grows with the level of a token', () => {
    expect(expectedAccess(write, { kind: 'token', level: 'VIEWER' })).toBe(403);
    expect(expectedAccess(write, { kind: 'token', level: 'OWNER' })).toBe('allowed');
  });

  it('is the least of a key’s scope and its creator’s level', () => {
    expect(expectedAccess(write, key('documents:write'))).toBe('allowed');
    expect(expectedAccess(write, key('*:admin'))).toBe('allowed');
    expect(expectedAccess(write, key('documents:read'))).toBe(403);
    expect(expectedAccess(write, key('reports:write'))).toBe(403);
    expect(expectedAccess(write, key('documents:write', 'VIEWER'))).toBe(403);
  });

  it('is nothing without a credential', () => {
    expect(expectedAccess(write, { kind: 'nothing' })).toBe(401);
  });
});
