import { describe, expect, it } from '@jest/globals';
import {
  actor,
  eventNames,
  invitation,
  laterThanNoon,
  member,
  noon,
  refusalCode,
  roster,
} from '../../../test/examples.ts';
import { inviteMember, type InviteMember } from './invite-member.ts';
import type { Member } from './member.ts';

const owner = member('ada', { level: 'OWNER' });
const bob: InviteMember = { id: 'member-new', email: 'bob@acme.com', level: 'EDITOR' };

describe('inviting a member', () => {
  it('makes an invitation that can be accepted for fourteen days and tells of it', () => {
    const decision = inviteMember(roster([owner]), bob, actor('ADMIN'), noon);
    expect(decision.result).toMatchObject({ status: 'invited', user: null, email: 'bob@acme.com', invitedBy: 'Ada' });
    expect(decision.result.invitationExpiresAt).toEqual(new Date('2026-05-15T12:00:00.000Z'));
    expect(eventNames(decision)).toEqual(['member.invited']);
    expect(decision.state.members).toContain(decision.result);
  });

  it('refuses a person who is a member, under whichever of their addresses', () => {
    const known = member('bob', {
      email: 'old@acme.com',
      user: { id: 'user-bob', name: 'Bob', email: 'bob@acme.com' },
    });
    for (const email of ['BOB@acme.com', 'old@acme.com']) {
      expect(refusalCode(() => inviteMember(roster([owner, known]), { ...bob, email }, actor('ADMIN'), noon))).toBe(
        'already_a_member',
      );
    }
  });

  it('refuses a person whose invitation is still open', () => {
    expect(refusalCode(() => inviteMember(roster([owner, invitation('bob')]), bob, actor('ADMIN'), noon))).toBe(
      'already_invited',
    );
  });

  it('renews an invitation that has expired instead of making a second one', () => {
    const expired = invitation('bob', { invitationExpiresAt: noon });
    const { state, result } = inviteMember(roster([expired]), bob, actor('ADMIN'), noon);
    expect(result.id).toBe(expired.id);
    expect(result.invitationExpiresAt).toEqual(laterThanNoon(14 * 86_400_000));
    expect(state.members).toHaveLength(1);
  });

  it('refuses when every seat is taken', () => {
    expect(refusalCode(() => inviteMember(roster([owner], 1), bob, actor('OWNER'), noon))).toBe('no_seat_left');
  });

  it('refuses when every seat is promised to somebody, for as long as their invitations can be accepted', () => {
    const inviting = (...others: Member[]) => inviteMember(roster([owner, ...others], 2), bob, actor('OWNER'), noon);
    expect(refusalCode(() => inviting(invitation('cy')))).toBe('no_seat_left');
    expect(eventNames(inviting(invitation('cy', { invitationExpiresAt: noon })))).toEqual(['member.invited']);
  });

  it('does not count suspended members as seats', () => {
    const others = [member('dan', { status: 'suspended' })];
    expect(eventNames(inviteMember(roster([owner, ...others], 2), bob, actor('OWNER'), noon))).toEqual([
      'member.invited',
    ]);
  });

  it('lets only an OWNER invite an OWNER', () => {
    const wanted: InviteMember = { ...bob, level: 'OWNER' };
    expect(refusalCode(() => inviteMember(roster([owner]), wanted, actor('ADMIN'), noon))).toBe('level_required');
    expect(inviteMember(roster([owner]), wanted, actor('OWNER'), noon).result.level).toBe('OWNER');
  });
});
