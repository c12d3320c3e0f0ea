import { describe, expect, it } from '@jest/globals';
import { clientGroup, clientMember, clientWorkspace, noon, refusalCode } from '../examples.ts';
import { addClientMember, changeClientMember, removeClientMember } from './change-client-members.ts';
import { addClientWorkspace, changeClientWorkspace, removeClientWorkspace } from './change-client-workspaces.ts';
import { largestGroup } from './client-group.ts';

const [ann, ben] = [clientMember('ann'), clientMember('ben')];

describe('the members of a client group', () => {
  it('grow by one, and the audit log shows that one alone', () => {
    const { state, events, result } = addClientMember(clientGroup({ members: [ann] }), ben, noon);
    expect(state.members).toEqual([ann, ben]);
    expect(result).toBe(ben);
    expect(events).toMatchObject([
      { name: 'client_group.updated', change: { before: { members: [] }, after: { members: [{ id: ben.id }] } } },
    ]);
    expect(events[0]?.change.after?.['members']).toHaveLength(1);
  });

  it('have different e-mails, whatever the case', () => {
    const double = clientMember('other', { email: 'ANN@client.com' });
    expect(refusalCode(() => addClientMember(clientGroup({ members: [ann] }), double, noon))).toBe(
      'client_member_exists',
    );
  });

  it('are at most a thousand', () => {
    const members = Array.from({ length: largestGroup }, (_, index) => clientMember(`c${index}`));
    expect(refusalCode(() => addClientMember(clientGroup({ members }), ann, noon))).toBe('client_group_full');
  });

  it('change one at a time', () => {
    const group = clientGroup({ members: [ann, ben] });
    const { state, result } = changeClientMember(group, ann.id, { status: 'suspended' }, noon);
    expect(result).toMatchObject({ id: ann.id, name: ann.name, status: 'suspended' });
    expect(state.members).toEqual([result, ben]);
  });

  it('are removed once', () => {
    const { state } = removeClientMember(clientGroup({ members: [ann, ben] }), ann.id, noon);
    expect(state.members).toEqual([ben]);
    expect(refusalCode(() => removeClientMember(state, ann.id, noon))).toBe('client_member_not_found');
  });

  it('are found in their own group alone', () => {
    expect(refusalCode(() => changeClientMember(clientGroup(), ann.id, {}, noon))).toBe('client_member_not_found');
  });
});

describe('the workspaces of a client group', () => {
  const desk = clientWorkspace('desk');

  it('are added, changed and removed', () => {
    const added = addClientWorkspace(clientGroup(), desk, noon);
    const changed = changeClientWorkspace(added.state, desk.id, { accessLevel: 'MANAGE' }, noon);
    expect(changed.events).toMatchObject([
      {
        change: {
          before: { workspaces: [{ access_level: 'VIEW' }] },
          after: { workspaces: [{ access_level: 'MANAGE' }] },
        },
      },
    ]);
    expect(removeClientWorkspace(changed.state, desk.id, noon).state.workspaces).toEqual([]);
  });

  it('are not found twice', () => {
    expect(refusalCode(() => removeClientWorkspace(clientGroup(), desk.id, noon))).toBe('workspace_not_found');
    expect(refusalCode(() => changeClientWorkspace(clientGroup(), desk.id, {}, noon))).toBe('workspace_not_found');
  });

  it('tell nothing when nothing changes', () => {
    const group = clientGroup({ workspaces: [desk] });
    expect(changeClientWorkspace(group, desk.id, { name: desk.name }, noon).state).toBe(group);
  });
});
