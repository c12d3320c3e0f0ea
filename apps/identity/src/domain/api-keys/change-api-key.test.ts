import { describe, expect, it } from '@jest/globals';
import { acting, apiKey, eventNames, laterThanNoon, member, noon, refusalCode } from '../examples.ts';
import { changeApiKey, createApiKey, revokeApiKey, rotateApiKey } from './change-api-key.ts';

const wanted = { id: 'key-1', name: 'Nightly', scopes: ['*:admin'], expiresAt: null };
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
