import { describe, expect, it } from '@jest/globals';
import { laterThanNoon, noon, refusalCode } from '../../../test/examples.ts';
import {
  asksWhereSuspended,
  callerOfApiKey,
  callerOfUser,
  chooseMembership,
  type ActiveMembership,
  type ApiKeyRecord,
} from './resolved-caller.ts';

const one: ActiveMembership = { organisationId: 'org_1', level: 'OWNER', clientGroupId: 'group-1' };
const two: ActiveMembership = { organisationId: 'org_2', level: 'VIEWER', clientGroupId: 'group-2' };

describe('the organisation a request acts in', () => {
  it('is the claimed one before the requested one', () => {
    expect(chooseMembership([one, two], { claimed: 'org_2', requested: 'org_1' })).toBe(two);
  });

  it('is the requested one when the user is no member of the claimed one', () => {
    expect(chooseMembership([one, two], { claimed: 'org_9', requested: 'org_1' })).toBe(one);
  });

  it('is the only one when none is named', () => {
    expect(chooseMembership([two], { claimed: '', requested: '' })).toBe(two);
  });

  it('is none when there is none, or several to choose from', () => {
    expect(chooseMembership([], { claimed: '', requested: '' })).toBeNull();
    expect(chooseMembership([one, two], { claimed: '', requested: '' })).toBeNull();
  });

  it('is refused, and not replaced by another, when the user is no member of the requested one', () => {
    expect(refusalCode(() => chooseMembership([one], { claimed: '', requested: 'org_2' }))).toBe('not_a_member');
  });
});

describe('an organisation in which the user is suspended', () => {
  const choose = (memberships: ActiveMembership[], claimed: string, requested: string) => () =>
    chooseMembership(memberships, { claimed, requested }, ['org_3']);

  it('is told from one that the user is no member of', () => {
    expect(refusalCode(choose([one], '', 'org_3'))).toBe('membership_suspended');
    expect(refusalCode(choose([one], '', 'org_4'))).toBe('not_a_member');
    expect(choose([one], 'org_3', '')()).toBe(one);
  });

  it('is asked for only where that makes a difference', () => {
    const asks = (memberships: ActiveMembership[], claimed: string, requested: string) =>
      asksWhereSuspended(memberships, { claimed, requested });
    expect([asks([], '', ''), asks([one], '', 'org_3'), asks([one], 'org_9', 'org_3')]).toEqual([true, true, true]);
    expect([asks([one], '', ''), asks([one, two], '', ''), asks([one], '', 'org_1')]).toEqual([false, false, false]);
  });
});

describe('the caller behind a token', () => {
  const user = { id: 'u1', issuer: 'i', subject: 's', name: 'Ada', email: 'ada@acme.com', emailVerified: true };
  const nothingNamed = { claimed: '', requested: '' };

  it('has to name an organisation only when there are several and none is named', () => {
    const mustName = (memberships: ActiveMembership[], wanted = nothingNamed) =>
      callerOfUser(user, memberships, wanted).organisationRequired;
    expect(mustName([one, two])).toBe(true);
    expect(mustName([one, two], { claimed: '', requested: 'org_2' })).toBe(false);
    expect(mustName([one])).toBe(false);
    expect(mustName([])).toBe(false);
  });

  it('is suspended where no membership is active, and one is there', () => {
    const isSuspended = (memberships: ActiveMembership[], suspendedIn: string[]) =>
      callerOfUser(user, memberships, nothingNamed, suspendedIn).membershipSuspended;
    expect([isSuspended([], ['org_3']), isSuspended([], []), isSuspended([one], ['org_3'])]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

const key: ApiKeyRecord = {
  apiKeyId: 'key-1',
  organisationId: 'org_1',
  scopes: ['*:read'],
  clientGroupId: 'group-1',
  expiresAt: null,
  revokedAt: null,
  secretValidUntil: null,
  creator: { id: 'u1', name: 'Ada', email: 'ada@acme.com', emailVerified: true },
  creatorStatus: 'active',
  creatorLevel: 'EDITOR',
};

describe('the caller behind an API key', () => {
  it("has the creator's level of now and the key's scopes", () => {
    expect(callerOfApiKey(key, noon)).toMatchObject({
      membership: { level: 'EDITOR', clientGroupId: 'group-1' },
      scopes: ['*:read'],
      expiresAt: null,
    });
  });

  it('ends with the key or with the rotated-out secret, whichever comes first', () => {
    const [soon, late] = [laterThanNoon(1000), laterThanNoon(2000)];
    expect(callerOfApiKey({ ...key, expiresAt: late, secretValidUntil: soon }, noon).expiresAt).toBe(soon);
    expect(callerOfApiKey({ ...key, expiresAt: soon, secretValidUntil: late }, noon).expiresAt).toBe(soon);
    expect(callerOfApiKey({ ...key, secretValidUntil: late }, noon).expiresAt).toBe(late);
  });

  it.each<[string, ApiKeyRecord | undefined]>([
    ['unknown', undefined],
    ['revoked', { ...key, revokedAt: noon }],
    ['expired this very moment', { ...key, expiresAt: noon }],
    ['rotated out', { ...key, secretValidUntil: noon }],
    ['of a suspended member', { ...key, creatorStatus: 'suspended' }],
    ['of a removed member', { ...key, creatorStatus: 'removed' }],
  ])('is refused with the same words when the key is %s', (_, found) => {
    expect(() => callerOfApiKey(found, noon)).toThrow('Invalid or expired token');
  });
});
