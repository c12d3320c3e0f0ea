import { describe, expect, it } from '@jest/globals';
import { clientMember, clientWorkspace, noon } from '../examples.ts';
import { addClientMember, changeClientMember, removeClientMember } from './change-client-members.ts';
import { addClientWorkspace, changeClientWorkspace, removeClientWorkspace } from './change-client-workspaces.ts';

const group = 'group-1';

describe('the members of a client group', () => {
  const ann = clientMember('ann', { folderAccess: [{ folder: 'one' }, { folder: 'two' }] });

  it('are shown in the audit log one by one, when they come and when they go', () => {
    const shown = { id: ann.id, name: 'ann', folder_access: [{ folder: 'one' }, { folder: 'two' }] };
    expect(addClientMember(group, ann, noon)).toMatchObject({
      result: ann,
      events: [
        {
          name: 'client_group.updated',
          targetId: group,
          data: { changed_fields: ['members'] },
          change: { before: { members: [] }, after: { members: [shown] } },
        },
      ],
    });
    expect(removeClientMember(group, ann, noon).events[0]?.change).toMatchObject({
      before: { members: [shown] },
      after: { members: [] },
    });
  });

  it('keep the fields that are not given, and show what has changed of them alone', () => {
    const wanted = { status: 'suspended', folderAccess: [{ folder: 'two' }, { folder: 'three' }] } as const;
    const { state, result, events } = changeClientMember(group, ann, wanted, noon);
    expect(result).toEqual({ ...ann, ...wanted });
    expect(state).toBe(result);
    expect(events[0]?.change).toEqual({
      before: { members: [{ id: ann.id, status: 'active', folder_access: [{ folder: 'one' }] }] },
      after: { members: [{ id: ann.id, status: 'suspended', folder_access: [{ folder: 'three' }] }] },
    });
  });

  it('tell nothing when nothing changes', () => {
    const { state, events } = changeClientMember(group, ann, { name: ann.name, folderAccess: ann.folderAccess }, noon);
    expect(state).toBe(ann);
    expect(events).toEqual([]);
  });
});

describe('the workspaces of a client group', () => {
  const desk = clientWorkspace('desk');

  it('are added, changed and removed', () => {
    expect(addClientWorkspace(group, desk, noon).events[0]?.change.after).toMatchObject({
      workspaces: [{ id: desk.id, access_level: 'VIEW' }],
    });
    expect(changeClientWorkspace(group, desk, { accessLevel: 'MANAGE' }, noon).events[0]?.change).toEqual({
      before: { workspaces: [{ id: desk.id, access_level: 'VIEW' }] },
      after: { workspaces: [{ id: desk.id, access_level: 'MANAGE' }] },
    });
    expect(removeClientWorkspace(group, desk, noon).events[0]?.change.after).toEqual({ workspaces: [] });
  });

  it('tell nothing when nothing changes', () => {
    expect(changeClientWorkspace(group, desk, { name: desk.name }, noon).state).toBe(desk);
  });
});
