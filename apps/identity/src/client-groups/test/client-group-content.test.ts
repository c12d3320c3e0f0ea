import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refusalOf } from '@platform-backend/service/testing';
import { startTestIdentity, type Founder, type TestIdentity } from '../../../test/test-identity.ts';
import { maxClientGroupContent } from '../domain/client-group-content.ts';

let identity: TestIdentity;
let founder: Founder;
beforeAll(async () => {
  identity = await startTestIdentity();
  founder = await identity.found('Ada');
});
afterAll(() => identity.stop());

const newGroup = async () => (await identity.clientGroups.createClientGroup({ name: 'Retail' }, founder)).id;

let people = 0;
const add = (groupId: string, more: object = {}) =>
  identity.clientGroups.addClientMember(
    { groupId, name: 'Ann', email: `c${people++}@client.example`, ...more },
    founder,
  );

const list = (entries: number, length: number) =>
  Array.from({ length: entries }, (_, index) => ({ entry: { folder: `${index}`.padEnd(length, 'x') } }));

/** What is counted of a group, and what there is. */
async function counted(groupId: string) {
  const { rows } = await identity.admin.query<Record<'counted' | 'there', object>>(
    `SELECT json_build_array(member_count, workspace_count, part_bytes) AS counted,
            json_build_array(
              (SELECT count(*) FROM client_members WHERE group_id = g.id),
              (SELECT count(*) FROM client_workspaces WHERE group_id = g.id),
              (SELECT coalesce(sum(bytes), 0) FROM client_members WHERE group_id = g.id) +
              (SELECT coalesce(sum(bytes), 0) FROM client_workspaces WHERE group_id = g.id)) AS there
     FROM client_groups g WHERE id = $1`,
    [groupId],
  );
  return rows[0];
}

describe('what a client group holds', () => {
  it('is counted exactly, whatever comes, changes, goes and is refused, also at the same time', async () => {
    const groupId = await newGroup();
    const members = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((entries) => add(groupId, { folderAccess: list(entries, 20) })),
    );
    const workspaces = await Promise.all(
      ['Desk', 'Shelf'].map((name) => identity.clientGroups.addClientWorkspace({ groupId, name }, founder)),
    );
    const [first, second, third] = members;
    const [desk, shelf] = workspaces;
    await Promise.allSettled([
      identity.clientGroups.updateClientMember(
        { groupId, memberId: first?.id ?? '', fileAccess: list(50, 9), updateMask: { paths: ['file_access'] } },
        founder,
      ),
      identity.clientGroups.updateClientMember(
        { groupId, memberId: second?.id ?? '', folderAccess: [], updateMask: { paths: ['folder_access'] } },
        founder,
      ),
      identity.clientGroups.removeClientMember({ groupId, memberId: third?.id ?? '' }, founder),
      identity.clientGroups.removeClientMember({ groupId, memberId: third?.id ?? '' }, founder),
      add(groupId, { email: first?.email }),
      identity.clientGroups.updateClientWorkspace(
        { groupId, workspaceId: desk?.id ?? '', description: 'by the window', updateMask: { paths: ['description'] } },
        founder,
      ),
      identity.clientGroups.removeClientWorkspace({ groupId, workspaceId: shelf?.id ?? '' }, founder),
    ]);
    const content = await counted(groupId);
    expect(content?.counted).toEqual(content?.there);
    expect(content?.counted).toMatchObject([5, 1, expect.any(Number)]);
    const { clientGroups } = await identity.clientGroups.listClientGroups({}, founder);
    expect(clientGroups.find(({ id }) => id === groupId)).toMatchObject({ memberCount: 5, workspaceCount: 1 });
  });

  it('is at most a thousand members, to whoever comes first', async () => {
    const groupId = await newGroup();
    await identity.fillGroup(founder, groupId, 998);
    const outcomes = await Promise.allSettled([add(groupId), add(groupId), add(groupId), add(groupId)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await refusalOf(add(groupId))).toEqual({
      kind: 'conflict',
      code: 'client_group_full',
      message: 'A client group has at most 1000 members: remove one, or use another group',
    });
    const { members } = await identity.clientGroups.getClientGroup({ groupId }, founder);
    expect(members).toHaveLength(1000);
    await identity.clientGroups.removeClientMember({ groupId, memberId: members[0]?.id ?? '' }, founder);
    await add(groupId);
  });

  it('is at most so much that it can be read at once, and taking something away makes room', async () => {
    const groupId = await newGroup();
    const large = { folderAccess: list(1000, 180) };
    const added = [
      await add(groupId, large),
      await add(groupId, large),
      await add(groupId, large),
      await add(groupId, large),
    ];
    const access = { groupId, assetAccess: list(1000, 180), updateMask: { paths: ['asset_access'] } };
    await identity.clientGroups.setClientGroupAccess(access, founder);
    const whole = await identity.clientGroups.getClientGroup({ groupId }, founder);
    expect(Buffer.byteLength(JSON.stringify(whole))).toBeLessThan(1.1 * maxClientGroupContent.bytes);

    const folders = { groupId, folderAccess: list(1000, 180), updateMask: { paths: ['folder_access'] } };
    const calls = [
      add(groupId, large),
      identity.clientGroups.setClientGroupAccess(folders, founder),
      identity.clientGroups.updateClientMember(
        { groupId, memberId: added[0]?.id ?? '', fileAccess: list(1000, 180), updateMask: { paths: ['file_access'] } },
        founder,
      ),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) {
      expect(refusal).toMatchObject({ kind: 'conflict', code: 'client_group_too_large' });
    }
    expect(await identity.clientGroups.getClientGroup({ groupId }, founder)).toEqual(whole);

    await identity.clientGroups.removeClientMember({ groupId, memberId: added[0]?.id ?? '' }, founder);
    await identity.clientGroups.setClientGroupAccess(folders, founder);
  });

  it('can still be read, used and made smaller where it was larger before there was a limit', async () => {
    const groupId = await newGroup();
    const { id: memberId } = await add(groupId, { folderAccess: list(100, 100) });
    await identity.admin.query('UPDATE client_groups SET part_bytes = part_bytes + 5000000 WHERE id = $1', [groupId]);
    const rename = { groupId, name: 'Wholesale', updateMask: { paths: ['name'] } };
    expect(await identity.clientGroups.updateClientGroup(rename, founder)).toMatchObject({
      members: [{ id: memberId }],
    });
    const shorten = { groupId, memberId, folderAccess: [], updateMask: { paths: ['folder_access'] } };
    expect(await identity.clientGroups.updateClientMember(shorten, founder)).toMatchObject({ folderAccess: [] });
    expect(await refusalOf(add(groupId))).toMatchObject({ code: 'client_group_too_large' });
  });
});

describe('the audit log of a client group', () => {
  it('shows of a change what has changed, whatever else is in the group', async () => {
    const groupId = await newGroup();
    await identity.fillGroup(founder, groupId, 500);
    const { id: memberId } = await add(groupId, { folderAccess: list(500, 50) });
    const longer = [...list(500, 50), { entry: { folder: 'new' } }];
    await identity.clientGroups.updateClientMember(
      { groupId, memberId, folderAccess: longer, updateMask: { paths: ['folder_access'] } },
      founder,
    );
    const { entries } = await identity.audit.listAuditEntries({ targetId: groupId, limit: 1 }, founder);
    expect(entries).toMatchObject([
      {
        before: { members: [{ id: memberId, folder_access: [] }] },
        after: { members: [{ id: memberId, folder_access: [{ folder: 'new' }] }] },
      },
    ]);
  });
});
