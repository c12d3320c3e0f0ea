import { describe, expect, it } from '@jest/globals';
import { eventNames, invitation, laterThanNoon, member, noon, refusalCode, roster } from '../../../test/examples.ts';
import { acceptInvitation, declineInvitation } from './answer-invitation.ts';
import type { MemberUser } from './member.ts';

const bob: MemberUser = { id: 'user-bob', name: 'Bob', email: 'Bob@acme.com' };
const open = invitation('bob', { level: 'EDITOR' });

describe('accepting an invitation', () => {
  it('makes the person an active member at the level offered', () => {
    const decision = acceptInvitation(roster([open]), open.id, bob, noon);
    expect(decision.result).toMatchObject({ status: 'active', user: bob, level: 'EDITOR', invitationExpiresAt: null });
    expect(eventNames(decision)).toEqual(['member.added']);
  });

  it('does not find an invitation to somebody else, an expired, an answered or an unknown one', () => {
    const accept = (members: readonly ReturnType<typeof member>[], person: MemberUser, at: Date) =>
      refusalCode(() => acceptInvitation(roster(members), open.id, person, at));
    expect(accept([open], { ...bob, email: 'eve@acme.com' }, noon)).toBe('invitation_not_found');
    expect(accept([open], bob, laterThanNoon(1000))).toBe('invitation_not_found');
    expect(accept([{ ...open, status: 'active', user: bob }], bob, noon)).toBe('invitation_not_found');
    expect(accept([], bob, noon)).toBe('invitation_not_found');
  });

  it('refuses when every seat is taken', () => {
    const full = roster([member('ada'), open], 1);
    expect(refusalCode(() => acceptInvitation(full, open.id, bob, noon))).toBe('no_seat_left');
  });

  it('refuses a second membership of the same person', () => {
    const known = member('bob', { email: 'other@acme.com' });
    expect(refusalCode(() => acceptInvitation(roster([known, open]), open.id, bob, noon))).toBe('already_a_member');
  });
});

describe('declining an invitation', () => {
  it('ends it without making a member', () => {
    const decision = declineInvitation(roster([open]), open.id, bob, noon);
    expect(decision.result).toMatchObject({ status: 'removed', user: null });
    expect(eventNames(decision)).toEqual(['member.invitation_declined']);
  });

  it('does not find an invitation to somebody else', () => {
    const eve = { ...bob, email: 'eve@acme.com' };
    expect(refusalCode(() => declineInvitation(roster([open]), open.id, eve, noon))).toBe('invitation_not_found');
  });
});
