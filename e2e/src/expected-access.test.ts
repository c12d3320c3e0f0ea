import { describe, expect, it } from '@jest/globals';
import { expectedAccess, type Credential } from './expected-access.ts';

const write = {
  method: 'CreateDocument',
  http: { verb: 'POST' },
  access: { credentials: ['TOKEN', 'API_KEY'], level: 'EDITOR', area: 'documents', services: [] },
} as unknown as Parameters<typeof expectedAccess>[0];
const read = { ...write, method: 'Search', access: { ...write.access, level: 'VIEWER' } } as typeof write;
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

  it('takes a scope that writes for whatever changes something, also where readers may', () => {
    expect(expectedAccess({ ...read, method: 'RateMessage' }, key('documents:read'))).toBe(403);
    expect(expectedAccess({ ...read, method: 'RateMessage' }, key('documents:write'))).toBe('allowed');
    expect(expectedAccess(read, key('documents:read'))).toBe('allowed');
  });

  it('is nothing without a credential', () => {
    expect(expectedAccess(write, { kind: 'nothing' })).toBe(401);
  });
});
