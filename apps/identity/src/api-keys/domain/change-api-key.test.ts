import { describe, expect, it } from '@jest/globals';
import type { PermissionLevel } from '@platform-backend/core';
import {
  acting,
  actingByKey,
  apiKey,
  clientGroup,
  eventNames,
  laterThanNoon,
  member,
  noon,
  refusalCode,
} from '../../../test/examples.ts';
import type { ClientGroup } from '../../client-groups/domain/client-group.ts';
import type { ApiKey } from './api-key.ts';
import { changeApiKey, createApiKey, revokeApiKey, rotateApiKey, type ChangeApiKey } from './change-api-key.ts';

const wanted = { id: 'key-1', name: 'Nightly', scopes: ['*:admin'], expiresAt: null, clientGroupId: null };
const secret = { hash: 'bb', prefix: 'pk_22222222' };

describe('making an API key', () => {
  it('binds it to the membership of its creator', () => {
    const { state, events } = createApiKey(member('ada'), wanted, secret, noon);
    expect(state).toMatchObject({ memberId: 'member-ada', userId: 'user-ada', prefix: 'pk_22222222' });
    expect(state.secrets).toEqual([{ hash: 'bb', validUntil: null }]);
    expect(JSON.stringify(events)).not.toContain('bb');
  });

  it('refuses an end that is not in the future', () => {
    expect(refusalCode(() => createApiKey(member('ada'), { ...wanted, expiresAt: noon }, secret, noon))).toBe(
      'validation_failed',
    );
  });

  it('is not for a member who is suspended', () => {
    expect(refusalCode(() => createApiKey(member('ada', { status: 'suspended' }), wanted, secret, noon))).toBe(
      'member_not_found',
    );
  });
});

describe('the client group of an API key', () => {
  const named = { ...wanted, clientGroupId: 'group-1' };
  const [live, archived] = [clientGroup(), clientGroup({ archived: true })];
  const make = (level: PermissionLevel, group?: ClientGroup) =>
    createApiKey(member('ada', { level }), named, secret, noon, group);
  const move = (key: ApiKey, clientGroupId: string | null, level: PermissionLevel, group?: ClientGroup) =>
    changeApiKey(key, { clientGroupId }, acting(level), noon, group);
  const ofGroup = apiKey({ clientGroupId: 'group-1' });

  it('is named by an admin, and told to everybody who wants to know', () => {
    const { state, events } = make('ADMIN', live);
    expect(state.clientGroupId).toBe('group-1');
    expect(events).toMatchObject([
      { data: { client_group_id: 'group-1' }, change: { after: { client_group_id: 'group-1' } } },
    ]);
    expect(createApiKey(member('ada'), wanted, secret, noon).events).toMatchObject([
      { data: { client_group_id: null } },
    ]);
  });

  it('is not for others to name, to take away or to try out', () => {
    for (const group of [live, archived, undefined]) {
      expect(refusalCode(() => make('EDITOR', group))).toBe('level_required');
      expect(refusalCode(() => move(apiKey(), 'group-1', 'EDITOR', group))).toBe('level_required');
    }
    expect(refusalCode(() => move(ofGroup, null, 'EDITOR'))).toBe('level_required');
  });

  it('exists and is not archived', () => {
    expect(refusalCode(() => make('ADMIN'))).toBe('client_group_not_found');
    expect(refusalCode(() => make('ADMIN', archived))).toBe('client_group_archived');
    expect(refusalCode(() => move(apiKey(), 'group-1', 'ADMIN'))).toBe('client_group_not_found');
    expect(refusalCode(() => move(apiKey(), 'group-1', 'ADMIN', archived))).toBe('client_group_archived');
  });

  it('can be changed, and be the default group again', () => {
    expect(move(apiKey(), 'group-1', 'ADMIN', live).result.clientGroupId).toBe('group-1');
    const { result, events } = move(ofGroup, null, 'ADMIN');
    expect(result.clientGroupId).toBeNull();
    expect(events).toMatchObject([{ data: { changed_fields: ['client_group_id'] } }]);
  });

  it('stays through everything else that happens to the key, archived or not', () => {
    expect(changeApiKey(ofGroup, { name: 'n' }, acting('EDITOR'), noon).result.clientGroupId).toBe('group-1');
    expect(move(ofGroup, 'group-1', 'EDITOR', archived).state).toBe(ofGroup);
    expect(rotateApiKey(ofGroup, secret, 0, acting('EDITOR'), noon).state.clientGroupId).toBe('group-1');
  });
});

describe('changing an API key', () => {
  it('tells the scopes before and after, so that a wider key is seen', () => {
    const { events } = changeApiKey(apiKey({ scopes: ['a:read'] }), { scopes: ['*:admin'] }, acting('EDITOR'), noon);
    expect(events).toMatchObject([{ name: 'api_key.updated', change: { before: { scopes: ['a:read'] } } }]);
  });

  it('changes nothing and tells nothing when all is so already', () => {
    const before = apiKey();
    expect(changeApiKey(before, { name: before.name }, acting('EDITOR'), noon).state).toBe(before);
  });

  it('can take the end away', () => {
    const ending = apiKey({ expiresAt: laterThanNoon(1000) });
    expect(changeApiKey(ending, { expiresAt: null }, acting('EDITOR'), noon).result.expiresAt).toBeNull();
  });

  it("does not find another member's key below level ADMIN, nor a revoked one at any level", () => {
    const theirs = apiKey({ userId: 'user-bob' });
    expect(refusalCode(() => changeApiKey(theirs, {}, acting('EDITOR'), noon))).toBe('api_key_not_found');
    expect(changeApiKey(theirs, {}, acting('ADMIN'), noon).result).toBe(theirs);
    expect(refusalCode(() => changeApiKey(apiKey({ revokedAt: noon }), {}, acting('OWNER'), noon))).toBe(
      'api_key_not_found',
    );
  });
});

describe('rotating an API key', () => {
  it('ends the old secret at once without an overlap', () => {
    const { state } = rotateApiKey(apiKey(), secret, 0, acting('EDITOR'), noon);
    expect(state.secrets).toEqual([{ hash: 'bb', validUntil: null }]);
    expect(state.prefix).toBe('pk_22222222');
  });

  it('keeps the old secret for the overlap', () => {
    const { state } = rotateApiKey(apiKey(), secret, 60, acting('EDITOR'), noon);
    expect(state.secrets).toEqual([
      { hash: 'bb', validUntil: null },
      { hash: 'aa', validUntil: laterThanNoon(60_000) },
    ]);
  });

  it('never makes an older secret live longer, and shortens it when asked to', () => {
    const rotated = apiKey({
      secrets: [
        { hash: 'aa', validUntil: null },
        { hash: '00', validUntil: laterThanNoon(1000) },
      ],
    });
    const ends = (overlap: number) =>
      rotateApiKey(rotated, secret, overlap, acting('EDITOR'), noon).state.secrets.map(({ hash, validUntil }) => [
        hash,
        validUntil,
      ]);
    expect(ends(60)).toContainEqual(['00', laterThanNoon(1000)]);
    expect(ends(0)).toEqual([['bb', null]]);
  });

  it('keeps ten former secrets at most, and can always be done without an overlap', () => {
    const rotated = (key: ApiKey, overlap: number) => rotateApiKey(key, secret, overlap, acting('EDITOR'), noon).state;
    let key = apiKey();
    for (let times = 0; times < 10; times += 1) key = rotated(key, 60);
    expect(key.secrets).toHaveLength(11);
    expect(refusalCode(() => rotated(key, 60))).toBe('too_many_secrets');
    expect(rotated(key, 0).secrets).toHaveLength(1);
  });
});

describe('revoking an API key', () => {
  it('forgets its secrets and happens once', () => {
    const decision = revokeApiKey(apiKey(), acting('EDITOR'), noon);
    expect(decision.state).toMatchObject({ revokedAt: noon, secrets: [] });
    expect(eventNames(decision)).toEqual(['api_key.revoked']);
    expect(refusalCode(() => revokeApiKey(decision.state, acting('EDITOR'), noon))).toBe('api_key_not_found');
  });
});

describe("somebody else's API key", () => {
  const ends = laterThanNoon(60_000);
  const bobs = apiKey({ userId: 'user-bob', scopes: ['members:admin', '*:read'], expiresAt: ends });
  const levels = ['ADMIN', 'OWNER'] as const;
  const change = (wanted: ChangeApiKey, level: PermissionLevel, key = bobs) =>
    changeApiKey(key, wanted, acting(level), noon, clientGroup());

  it.each<ChangeApiKey>([
    { scopes: ['members:write'] },
    { scopes: ['client_groups:read', '*:read'] },
    { scopes: [] },
    { expiresAt: laterThanNoon(1000) },
    { name: bobs.name, scopes: bobs.scopes, expiresAt: ends },
    { clientGroupId: 'group-1' },
  ])('may be lowered and given to another client group: %j', (wanted) => {
    for (const level of levels) expect(change(wanted, level).result).toMatchObject(wanted);
  });

  it('may be given an end when it had none', () => {
    const endless = apiKey({ userId: 'user-bob' });
    for (const level of levels) expect(change({ expiresAt: ends }, level, endless).result.expiresAt).toEqual(ends);
  });

  it.each<ChangeApiKey>([
    { scopes: ['*:admin'] },
    { scopes: ['members:admin', 'client_groups:write'] },
    { scopes: ['members:read', '*:write'] },
    { expiresAt: laterThanNoon(60_001) },
    { expiresAt: null },
    { name: 'Mine' },
    { scopes: [], name: 'Mine' },
  ])('is not widened, prolonged or renamed, whatever the level: %j', (wanted) => {
    for (const level of levels) {
      expect(refusalCode(() => change(wanted, level))).toBe('not_your_api_key');
      expect(changeApiKey(bobs, wanted, acting('VIEWER', 'user-bob'), noon).result).toMatchObject(wanted);
    }
  });

  it('is not rotated, whatever the level, for who rotates a key holds its secret', () => {
    for (const level of levels) {
      expect(refusalCode(() => rotateApiKey(bobs, secret, 0, acting(level), noon))).toBe('not_your_api_key');
    }
    expect(rotateApiKey(bobs, secret, 0, acting('EDITOR', 'user-bob'), noon).result.prefix).toBe(secret.prefix);
  });

  it('may be revoked by an ADMIN and an OWNER', () => {
    for (const level of levels) expect(revokeApiKey(bobs, acting(level), noon).result.revokedAt).toBe(noon);
  });
});

describe('an API key that acts', () => {
  const own = apiKey({ scopes: ['members:read'] });

  it('widens and rotates no key, not even one of the same creator', () => {
    expect(refusalCode(() => changeApiKey(own, { scopes: ['*:admin'] }, actingByKey('ADMIN'), noon))).toBe(
      'not_your_api_key',
    );
    expect(refusalCode(() => rotateApiKey(own, secret, 0, actingByKey('ADMIN'), noon))).toBe('not_your_api_key');
  });

  it("revokes its creator's keys, and with level ADMIN every key", () => {
    expect(revokeApiKey(own, actingByKey('EDITOR'), noon).result.revokedAt).toBe(noon);
    const bobs = apiKey({ userId: 'user-bob' });
    expect(revokeApiKey(bobs, actingByKey('ADMIN'), noon).result.revokedAt).toBe(noon);
    expect(refusalCode(() => revokeApiKey(bobs, actingByKey('EDITOR'), noon))).toBe('api_key_not_found');
  });
});
