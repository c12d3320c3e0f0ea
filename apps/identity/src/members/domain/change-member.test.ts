import { describe, expect, it } from '@jest/globals';
import { actor, eventNames, invitation, member, noon, refusalCode, roster } from '../../../test/examples.ts';
import { changeMember } from './change-member.ts';

const ada = member('ada', { level: 'OWNER' });
const bob = member('bob', { level: 'EDITOR' });

describe('changing a member', () => {
  it('sets the level and tells the one before', () => {
    const decision = changeMember(roster([ada, bob]), bob.id, { level: 'ADMIN' }, actor('ADMIN'), noon);
    expect(decision.result.level).toBe('ADMIN');
    expect(decision.events).toMatchObject([
      {
        name: 'member.level_changed',
        data: { permission_level: 'ADMIN', previous_permission_level: 'EDITOR' },
        change: { before: { permission_level: 'EDITOR' }, after: { permission_level: 'ADMIN' } },
      },
    ]);
  });

  it('tells two facts when level and status change together, each with its own change', () => {
    const decision = changeMember(
      roster([ada, bob]),
      bob.id,
      { level: 'VIEWER', status: 'suspended' },
      actor('ADMIN'),
      noon,
    );
    expect(decision.events.map(({ name, change }) => [name, change.after])).toEqual([
      ['member.level_changed', { permission_level: 'VIEWER' }],
      ['member.suspended', { status: 'suspended' }],
    ]);
  });

  it('changes nothing and tells nothing when all is so already', () => {
    const before = roster([ada, bob]);
    const decision = changeMember(before, bob.id, { level: 'EDITOR', status: 'active' }, actor('ADMIN'), noon);
    expect(decision.state).toBe(before);
    expect(decision.events).toEqual([]);
  });

  it('lets only an OWNER make an OWNER or touch one', () => {
    const second = member('cy', { level: 'OWNER' });
    const all = roster([ada, bob, second]);
    expect(refusalCode(() => changeMember(all, bob.id, { level: 'OWNER' }, actor('ADMIN'), noon))).toBe(
      'level_required',
    );
    expect(refusalCode(() => changeMember(all, second.id, { level: 'VIEWER' }, actor('ADMIN'), noon))).toBe(
      'level_required',
    );
    expect(changeMember(all, bob.id, { level: 'OWNER' }, actor('OWNER'), noon).result.level).toBe('OWNER');
    expect(changeMember(all, second.id, { level: 'VIEWER' }, actor('OWNER'), noon).result.level).toBe('VIEWER');
  });

  it('never lowers or suspends the last active OWNER', () => {
    const sleeping = member('cy', { level: 'OWNER', status: 'suspended' });
    const all = roster([ada, sleeping]);
    expect(refusalCode(() => changeMember(all, ada.id, { level: 'ADMIN' }, actor('OWNER'), noon))).toBe('last_owner');
    expect(refusalCode(() => changeMember(all, ada.id, { status: 'suspended' }, actor('OWNER'), noon))).toBe(
      'last_owner',
    );
  });

  it('needs a free seat to reactivate', () => {
    const dan = member('dan', { status: 'suspended' });
    const reactivate = (seats: number) =>
      changeMember(roster([ada, dan], seats), dan.id, { status: 'active' }, actor('ADMIN'), noon);
    expect(refusalCode(() => reactivate(1))).toBe('no_seat_left');
    expect(eventNames(reactivate(2))).toEqual(['member.reactivated']);
  });

  it('changes the level an invitation offers, but does not suspend what has not begun', () => {
    const open = invitation('bob');
    expect(changeMember(roster([ada, open]), open.id, { level: 'ADMIN' }, actor('ADMIN'), noon).result.level).toBe(
      'ADMIN',
    );
    expect(
      refusalCode(() => changeMember(roster([ada, open]), open.id, { status: 'suspended' }, actor('ADMIN'), noon)),
    ).toBe('member_not_joined');
  });

  it('does not find a stranger', () => {
    expect(refusalCode(() => changeMember(roster([ada]), 'nobody', {}, actor('OWNER'), noon))).toBe('member_not_found');
  });
});
