import { describe, expect, it } from '@jest/globals';
import { actor, eventNames, invitation, member, noon, refusalCode, roster } from '../../../test/examples.ts';
import { leaveOrganisation, removeMember, transferOwnership } from './remove-member.ts';

const ada = member('ada', { level: 'OWNER' });
const bob = member('bob', { level: 'EDITOR' });
const cy = member('cy', { level: 'OWNER' });

describe('removing a member', () => {
  it('ends the membership', () => {
    const decision = removeMember(roster([ada, bob]), bob.id, actor('ADMIN'), noon);
    expect(decision.result.status).toBe('removed');
    expect(decision.events).toMatchObject([
      { name: 'member.removed', data: { user_id: 'user-bob', reason: 'removed' } },
    ]);
  });

  it('takes back an invitation', () => {
    expect(eventNames(removeMember(roster([ada, invitation('bob')]), bob.id, actor('ADMIN'), noon))).toEqual([
      'member.invitation_withdrawn',
    ]);
  });

  it('lets only an OWNER remove an OWNER, and never the last', () => {
    expect(refusalCode(() => removeMember(roster([ada, cy]), cy.id, actor('ADMIN'), noon))).toBe('level_required');
    expect(eventNames(removeMember(roster([ada, cy]), cy.id, actor('OWNER'), noon))).toEqual(['member.removed']);
    expect(refusalCode(() => removeMember(roster([ada, bob]), ada.id, actor('OWNER'), noon))).toBe('last_owner');
  });
});

describe('leaving an organisation', () => {
  it('ends the own membership, whatever the level', () => {
    const decision = leaveOrganisation(roster([ada, bob]), actor('EDITOR', 'user-bob'), noon);
    expect(decision.result.id).toBe(bob.id);
    expect(decision.events).toMatchObject([{ name: 'member.removed', data: { reason: 'left' } }]);
  });

  it('is refused to the last OWNER', () => {
    expect(refusalCode(() => leaveOrganisation(roster([ada, bob]), actor('OWNER'), noon))).toBe('last_owner');
  });

  it('does not find somebody who has left', () => {
    expect(refusalCode(() => leaveOrganisation(roster([ada]), actor('EDITOR', 'user-bob'), noon))).toBe(
      'member_not_found',
    );
  });
});

describe('transferring ownership', () => {
  it('makes the other OWNER and the caller ADMIN at once', () => {
    const { state, events } = transferOwnership(roster([ada, bob]), bob.id, actor('OWNER'), noon);
    expect(state.members.map(({ id, level }) => [id, level])).toEqual([
      [ada.id, 'ADMIN'],
      [bob.id, 'OWNER'],
    ]);
    expect(events).toHaveLength(2);
  });

  it('leaves another OWNER as they are and tells of the caller alone', () => {
    const { events } = transferOwnership(roster([ada, cy]), cy.id, actor('OWNER'), noon);
    expect(events.map(({ subject }) => subject)).toEqual([ada.id]);
  });

  it('is refused to oneself, to somebody suspended or invited, and to a stranger', () => {
    const transfer = (to: ReturnType<typeof member>) =>
      refusalCode(() => transferOwnership(roster([ada, ...(to === ada ? [] : [to])]), to.id, actor('OWNER'), noon));
    expect(transfer(ada)).toBe('already_owner');
    expect(transfer({ ...bob, status: 'suspended' })).toBe('member_not_active');
    expect(transfer(invitation('bob'))).toBe('member_not_active');
    expect(refusalCode(() => transferOwnership(roster([ada]), 'nobody', actor('OWNER'), noon))).toBe(
      'member_not_found',
    );
  });

  it('is refused to somebody who was OWNER when the request began and is so no more', () => {
    const former = { ...ada, level: 'ADMIN' as const };
    expect(refusalCode(() => transferOwnership(roster([former, bob, cy]), bob.id, actor('OWNER'), noon))).toBe(
      'level_required',
    );
  });
});
