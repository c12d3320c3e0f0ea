import { describe, expect, it } from '@jest/globals';
import type { Caller } from '@platform/auth';
import { createLogger } from '@platform/core';
import type { CallContext } from '@platform/grpc';
import { actingOf } from './acting.ts';

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
const contextOf = (caller: Caller): CallContext => ({
  caller,
  organisationId: () => caller.organisationId ?? '',
  requestId: 'r1',
  signal: new AbortController().signal,
  logger: createLogger({ service: 'identity', level: 'silent' }),
});

describe('who acts', () => {
  it('is the user, with the level of the membership', () => {
    expect(actingOf(contextOf(ada), 'members')).toEqual({
      organisationId: 'org_1',
      actor: { type: 'user', id: 'u1', name: 'Ada', userId: 'u1', level: 'OWNER' },
      requestId: 'r1',
    });
  });

  it('goes by the address when there is no name', () => {
    expect(actingOf(contextOf({ ...ada, userName: '' }), 'members').actor.name).toBe('ada@acme.com');
  });

  it('is the key, no higher than its scopes in this area and never OWNER', () => {
    const level = (...scopes: string[]) =>
      actingOf(contextOf({ ...ada, kind: 'api_key', apiKeyId: 'k1', scopes }), 'members').actor;
    expect(level('*:admin')).toMatchObject({
      type: 'api_key',
      id: 'k1',
      userId: 'u1',
      onBehalfOf: { id: 'u1', name: 'Ada' },
      level: 'ADMIN',
    });
    expect(level('members:write')).toMatchObject({ level: 'EDITOR' });
    expect(level('client_groups:admin')).toMatchObject({ level: null });
  });

  it('is a key no higher than its creator', () => {
    const caller: Caller = { ...ada, kind: 'api_key', apiKeyId: 'k1', level: 'VIEWER', scopes: ['*:admin'] };
    expect(actingOf(contextOf(caller), 'members').actor.level).toBe('VIEWER');
  });
});
