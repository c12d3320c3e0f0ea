import { describe, expect, it } from '@jest/globals';
import { clientMember, clientWorkspace, noon } from '../../../test/examples.ts';
import {
  addClientMember,
  addPart,
  changePart,
  clientMemberPart,
  clientWorkspacePart,
  removePart,
} from './client-group-parts.ts';

const group = 'group-1';

describe('the members of a client group', () => {
  const ann = clientMember('ann', { folderAccess: [{ folder: 'one' }, { folder: 'two' }] });

  it('are shown in the audit log one by one, when they come and when they go', () => {
    const shown = { id: ann.id, name: 'ann', folder_access: [{ folder: 'one' }, { folder: 'two' }] };
    expect(addClientMember(group, ann)).toMatchObject({
      result: ann,
      events: [
        {
          name: 'client_group.updated',
          subject: group,
          data: { changed_fields: ['members'] },
          change: { before: { members: [] }, after: { members: [shown] } },
        },
      ],
    });
    expect(removePart(clientMemberPart, group, ann, noon).events[0]?.change).toMatchObject({
      before: { members: [shown] },
      after: { members: [] },
    });
  });

  it('keep the fields that are not given, and show what has changed of them alone', () => {
    const wanted = { status: 'suspended', folderAccess: [{ folder: 'two' }, { folder: 'three' }] } as const;
    const { state, result, events } = changePart(clientMemberPart, group, ann, wanted, noon);
    expect(result).toEqual({ ...ann, ...wanted });
    expect(state).toBe(result);
    expect(events[0]?.change).toEqual({
      before: { members: [{ id: ann.id, status: 'active', folder_access: [{ folder: 'one' }] }] },
      after: { members: [{ id: ann.id, status: 'suspended', folder_access: [{ folder: 'three' }] }] },
    });
  });

  it('tell nothing when nothing changes', () => {
    const { state, events } = changePart(
      clientMemberPart,
      group,
      ann,
      { name: ann.name, folderAccess: ann.folderAccess },
      noon,
    );
    expect(state).toBe(ann);
    expect(events).toEqual([]);
  });
});

describe('the workspaces of a client group', () => {
  const desk = clientWorkspace('desk');

  it('are added, changed and removed', () => {
    expect(addPart(clientWorkspacePart, group, desk).events[0]?.change.after).toMatchObject({
      workspaces: [{ id: desk.id, access_level: 'VIEW' }],
    });
    expect(changePart(clientWorkspacePart, group, desk, { accessLevel: 'MANAGE' }, noon).events[0]?.change).toEqual({
      before: { workspaces: [{ id: desk.id, access_level: 'VIEW' }] },
      after: { workspaces: [{ id: desk.id, access_level: 'MANAGE' }] },
    });
    expect(removePart(clientWorkspacePart, group, desk, noon).events[0]?.change.after).toEqual({ workspaces: [] });
  });

  it('tell nothing when nothing changes', () => {
    expect(changePart(clientWorkspacePart, group, desk, { name: desk.name }, noon).state).toBe(desk);
  });
});
