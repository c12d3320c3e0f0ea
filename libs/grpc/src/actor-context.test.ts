import { describe, expect, it } from '@jest/globals';
import type { Caller } from '@platform-backend/auth';
import { actorOf } from './actor-context.ts';

const ada: Caller = {
  kind: 'user',
  service: 'gateway',
  organisationId: 'org_1',
  userId: 'u1',
  userName: 'Ada',
  userEmail: 'ada@acme.com',
  level: 'OWNER',
  scopes: [],
};

describe('who acts in a call', () => {
  it('is the user, with the level of the membership', () => {
    expect(actorOf(ada, 'members')).toEqual({ type: 'user', id: 'u1', name: 'Ada', userId: 'u1', level: 'OWNER' });
  });

  it('goes by the address when there is no name', () => {
    expect(actorOf({ ...ada, userName: '' }, 'members').name).toBe('ada@acme.com');
  });

  it('is the key, no higher than its scopes in this area and never OWNER', () => {
    const withScope = (...scopes: string[]) => actorOf({ ...ada, kind: 'api_key', apiKeyId: 'k1', scopes }, 'members');
    expect(withScope('*:admin')).toEqual({
      type: 'api_key',
      id: 'k1',
      name: '',
      userId: 'u1',
      onBehalfOf: { id: 'u1', name: 'Ada' },
      level: 'ADMIN',
    });
    expect(withScope('members:write')).toMatchObject({ level: 'EDITOR' });
    expect(withScope('client_groups:admin')).toMatchObject({ level: null });
  });

  it('is a key no higher than its creator', () => {
    const caller: Caller = { ...ada, kind: 'api_key', apiKeyId: 'k1', level: 'VIEWER', scopes: ['*:admin'] };
    expect(actorOf(caller, 'members').level).toBe('VIEWER');
  });

  it('is a service on its own authority, and never nobody', () => {
    const billing: Caller = { kind: 'service', service: 'billing', organisationId: 'org_1', scopes: [] };
    expect(actorOf(billing, undefined)).toMatchObject({ type: 'service', id: 'billing', level: null });
    const nobody: Caller = { kind: 'anonymous', service: 'gateway', scopes: [] };
    expect(() => actorOf(nobody, 'members')).toThrow();
  });
});
