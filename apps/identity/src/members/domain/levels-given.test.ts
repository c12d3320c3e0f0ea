import { describe, expect, it } from '@jest/globals';
import { PERMISSION_LEVELS, type Actor, type PermissionLevel } from '@platform-backend/core';
import { actor, invitation, keyActor, member, noon, refusalCode, roster } from '../../../test/examples.ts';
import { changeMember, type ChangeMember } from './change-member.ts';
import { inviteMember } from './invite-member.ts';
import type { Member } from './member.ts';
import { removeMember } from './remove-member.ts';

/* Who may give and take which level, by D14, in every combination. Written apart from the code under test on purpose. */

const rank = (level: PermissionLevel) => PERMISSION_LEVELS.indexOf(level);
const owners = [member('first', { level: 'OWNER' }), member('second', { level: 'OWNER' })];

interface Case {
  readonly by: 'person' | 'key';
  readonly has: PermissionLevel;
  readonly level: PermissionLevel;
}
/** A key never has OWNER. */
const cases: Case[] = (['person', 'key'] as const).flatMap((by) =>
  PERMISSION_LEVELS.filter((has) => by === 'person' || has !== 'OWNER').flatMap((has) =>
    PERMISSION_LEVELS.map((level) => ({ by, has, level })),
  ),
);
const changes = cases.flatMap((one) => PERMISSION_LEVELS.map((before) => ({ ...one, before })));

const actorOf = ({ by, has }: Case): Actor => (by === 'key' ? keyActor(has) : actor(has));

/** Nobody gives more than they have, and a key nothing that reaches ADMIN. */
const mayGive = ({ by, has, level }: Case) =>
  rank(has) >= rank(level) && (by === 'person' || rank(level) < rank('ADMIN'));

function expectAnswer(allowed: boolean, { by, has, level }: Case, attempt: () => unknown): void {
  if (allowed) {
    attempt();
    return;
  }
  const reached = rank(has) >= rank(level);
  expect(['level_required', 'person_required']).toContain(refusalCode(attempt));
  if (by === 'person' || !reached) expect(refusalCode(attempt)).toBe('level_required');
}

describe('the level that', () => {
  it.each(cases)('a $by with $has gives by inviting as $level', (one) => {
    const invite = (...known: Member[]) =>
      inviteMember(
        roster([...owners, ...known]),
        { id: 'new', email: 'bob@acme.com', level: one.level },
        actorOf(one),
        noon,
      ).result;
    expectAnswer(mayGive(one), one, () => expect(invite().level).toBe(one.level));
    // Renewed with another level than it had, or the same.
    for (const before of PERMISSION_LEVELS) {
      const expired = invitation('bob', { level: before, invitationExpiresAt: noon });
      expectAnswer(mayGive(one), one, () =>
        expect(invite(expired)).toMatchObject({ id: expired.id, level: one.level }),
      );
    }
  });

  it.each(changes)('a $by with $has gives to a member with $before by changing it to $level', (one) => {
    const { has, level, before } = one;
    const mayTouch = rank(has) >= rank(before);
    const change = (from: Partial<Member>, wanted: ChangeMember) => {
      const bob = member('bob', { level: before, ...from });
      return () => changeMember(roster([...owners, bob]), bob.id, wanted, actorOf(one), noon).result;
    };
    const given = mayTouch && (level === before || mayGive(one));
    for (const status of ['active', 'suspended'] as const) {
      expectAnswer(given, one, () => expect(change({ status }, { level })()).toMatchObject({ level, status }));
    }
    const open = { ...invitation('bob'), level: before };
    expectAnswer(given, one, () => expect(change(open, { level })().level).toBe(level));
    // Access that begins again is given again, and access that ends is not.
    const again = change({ status: 'suspended' }, { level, status: 'active' });
    expectAnswer(mayTouch && mayGive(one), one, () => expect(again()).toMatchObject({ level, status: 'active' }));
    const ended = change({}, { level, status: 'suspended' });
    expectAnswer(given, one, () => expect(ended()).toMatchObject({ level, status: 'suspended' }));
  });

  it.each(cases)('a $by with $has takes by removing a member with $level', (one) => {
    const bob = member('bob', { level: one.level });
    const remove = () => removeMember(roster([...owners, bob]), bob.id, actorOf(one), noon).result.status;
    expectAnswer(rank(one.has) >= rank(one.level), one, () => expect(remove()).toBe('removed'));
  });

  it('needs a person is said so', () => {
    expect(() =>
      inviteMember(roster(owners), { id: 'new', email: 'bob@acme.com', level: 'ADMIN' }, keyActor('ADMIN'), noon),
    ).toThrow('An API key invites and promotes up to EDITOR; sign in to make somebody an ADMIN');
  });
});
