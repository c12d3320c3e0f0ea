import { describe, expect, it } from '@jest/globals';
import type { ClientGroup } from '../client-groups/client-group.ts';
import { acting, apiKey, clientGroup, eventNames, laterThanNoon, member, noon, refusalCode } from '../examples.ts';
import type { PermissionLevel } from '../members/permission-level.ts';
import type { ApiKey } from './api-key.ts';
import { changeApiKey, createApiKey, revokeApiKey, rotateApiKey } from './change-api-key.ts';

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
      expect(refusalCode(() => make('EDITOR', group))).toBe('forbidden');
      expect(refusalCode(() => move(apiKey(), 'group-1', 'EDITOR', group))).toBe('forbidden');
    }
    expect(refusalCode(() => move(ofGroup, null, 'EDITOR'))).toBe('forbidden');
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
});

describe('revoking an API key', () => {
  it('forgets its secrets and happens once', () => {
    const decision = revokeApiKey(apiKey(), acting('EDITOR'), noon);
    expect(decision.state).toMatchObject({ revokedAt: noon, secrets: [] });
    expect(eventNames(decision)).toEqual(['api_key.revoked']);
    expect(refusalCode(() => revokeApiKey(decision.state, acting('EDITOR'), noon))).toBe('api_key_not_found');
  });
});
