import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@platform-backend/auth';
import { fixedClock } from '@platform-backend/core';
import { refusalOf } from '@platform-backend/service/testing';
import { startTestIdentity, type Founder, type TestIdentity } from '../../../test/test-identity.ts';

const clock = fixedClock(new Date());
const unknown = '0192a000-0000-7000-8000-000000000000';
let identity: TestIdentity;
let founder: Founder;
let viewer: Caller;
beforeAll(async () => {
  identity = await startTestIdentity({ clock });
  founder = await identity.found('Ada');
  viewer = await identity.join(founder, 'Vic');
});
afterAll(() => identity.stop());

const newGroup = (name = 'Retail') => {
  clock.advance(1000);
  return identity.clientGroups.createClientGroup({ name, description: 'Shops' }, founder);
};

describe('a new client group', () => {
  it('has every field that a reader expects', async () => {
    const group = await newGroup();
    expect(group).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Retail',
      description: 'Shops',
      archived: false,
      isDefault: false,
      members: [],
      workspaces: [],
      policy: null,
      usage: {},
      assetAccess: [],
      folderAccess: [],
      fileAccess: [],
    });
    expect(await identity.clientGroups.getClientGroup({ groupId: group.id }, founder)).toEqual(group);
  });

  it('may have the name of another', async () => {
    expect((await newGroup('Twin')).id).not.toBe((await newGroup('Twin')).id);
  });

  it('can be made with an API key whose scopes allow it, and not with a narrower one', async () => {
    const keyWith = async (...scopes: string[]) => {
      const { apiKey } = await identity.apiKeys.createApiKey({ name: 'k', scopes }, founder);
      return { caller: await identity.withKey(apiKey) };
    };
    const create = async (...scopes: string[]) =>
      identity.clientGroups.createClientGroup({ name: 'By key' }, await keyWith(...scopes));
    expect(await create('client_groups:admin')).toMatchObject({ name: 'By key' });
    for (const scopes of [['client_groups:write'], ['members:admin'], []]) {
      expect(await refusalOf(create(...scopes))).toMatchObject({ kind: 'forbidden' });
    }
  });
});

describe('the list of client groups', () => {
  it('is newest first, page by page, with the number of members and workspaces of each instead of them', async () => {
    const { caller } = await identity.found('Lia');
    const named = (name: string) => {
      clock.advance(1000);
      return identity.clientGroups.createClientGroup({ name }, { caller });
    };
    const groups = [await named('one'), await named('two'), await named('three')];
    for (const { id, name } of groups) {
      await identity.clientGroups.addClientMember({ groupId: id, name, email: 'a@client.example' }, { caller });
      await identity.clientGroups.addClientWorkspace({ groupId: id, name }, { caller });
    }
    const first = await identity.clientGroups.listClientGroups({ limit: 2, includeTotal: true }, { caller });
    const second = await identity.clientGroups.listClientGroups({ limit: 2, cursor: first.nextCursor }, { caller });
    expect(first.totalCount).toBe(4);
    expect([...first.clientGroups, ...second.clientGroups].map(({ name }) => name)).toEqual([
      'three',
      'two',
      'one',
      'Default',
    ]);
    expect(first.clientGroups[0]).toEqual({
      id: groups[2]?.id,
      name: 'three',
      description: '',
      archived: false,
      isDefault: false,
      memberCount: 1,
      workspaceCount: 1,
      policy: null,
      usage: {},
      createdAt: clock.now(),
    });
  });

  it('finds a part of the name in any case and takes signs of patterns as they are', async () => {
    const { caller } = await identity.found('Mo');
    for (const name of ['100% Wool', '100 Wools', 'under_score']) {
      await identity.clientGroups.createClientGroup({ name }, { caller });
    }
    const search = async (text: string) =>
      (await identity.clientGroups.listClientGroups({ search: text }, { caller })).clientGroups.map(({ name }) => name);
    expect(await search('WOOL')).toHaveLength(2);
    expect(await search('100%')).toEqual(['100% Wool']);
    expect(await search('r_s')).toEqual(['under_score']);
    expect(await search('\\')).toEqual([]);
  });

  it('shows archived groups only when asked for', async () => {
    const { caller } = await identity.found('Nat');
    const { id } = await identity.clientGroups.createClientGroup({ name: 'Old' }, { caller });
    await identity.clientGroups.archiveClientGroup({ groupId: id }, { caller });
    const list = async (archived?: boolean) =>
      (await identity.clientGroups.listClientGroups({ archived }, { caller })).clientGroups.map(({ name }) => name);
    expect(await list()).toEqual(['Default']);
    expect(await list(false)).toEqual(['Default']);
    expect(await list(true)).toEqual(['Old']);
  });

  it('refuses a page of more than 200', async () => {
    const list = identity.clientGroups.listClientGroups({ limit: 201 }, founder);
    expect(await refusalOf(list)).toMatchObject({ kind: 'invalid', violations: [{ loc: ['query', 'limit'] }] });
  });
});

describe('changing a client group', () => {
  it('changes the fields of the mask alone', async () => {
    const { id: groupId } = await newGroup();
    const change = { groupId, name: 'New', description: 'ignored', updateMask: { paths: ['name'] } };
    const changed = await identity.clientGroups.updateClientGroup(change, founder);
    expect(changed).toMatchObject({ name: 'New', description: 'Shops' });
    expect(await identity.clientGroups.getClientGroup({ groupId }, founder)).toEqual(changed);
  });

  it('archives and restores, each as often as one likes', async () => {
    const { id: groupId } = await newGroup();
    for (let round = 0; round < 2; round++) {
      expect(await identity.clientGroups.archiveClientGroup({ groupId }, founder)).toMatchObject({ archived: true });
    }
    const makeDefault = identity.clientGroups.makeDefaultClientGroup({ groupId }, founder);
    expect(await refusalOf(makeDefault)).toMatchObject({ kind: 'conflict', code: 'client_group_archived' });
    for (let round = 0; round < 2; round++) {
      expect(await identity.clientGroups.restoreClientGroup({ groupId }, founder)).toMatchObject({ archived: false });
    }
  });

  it('moves the default from one group to the other, and never archives it', async () => {
    const { id: groupId } = await newGroup();
    for (let round = 0; round < 2; round++) {
      expect(await identity.clientGroups.makeDefaultClientGroup({ groupId }, founder)).toMatchObject({
        isDefault: true,
      });
    }
    const archive = identity.clientGroups.archiveClientGroup({ groupId }, founder);
    expect(await refusalOf(archive)).toMatchObject({ kind: 'conflict', code: 'default_client_group' });
    const { clientGroups } = await identity.clientGroups.listClientGroups({ limit: 200 }, founder);
    expect(clientGroups.filter(({ isDefault }) => isDefault)).toMatchObject([{ id: groupId }]);
  });

  it('is refused below ADMIN, while reading is not', async () => {
    const { id: groupId } = await newGroup();
    expect(await identity.clientGroups.getClientGroup({ groupId }, { caller: viewer })).toMatchObject({ id: groupId });
    const archive = identity.clientGroups.archiveClientGroup({ groupId }, { caller: viewer });
    expect(await refusalOf(archive)).toMatchObject({ kind: 'forbidden' });
  });
});

describe('the members of a client group', () => {
  it('are added, changed, listed and removed', async () => {
    const { id: groupId } = await newGroup();
    const added = await identity.clientGroups.addClientMember(
      { groupId, name: 'Ann', email: 'ann@client.example', folderAccess: [{ entry: { folder: 'f1', level: 'read' } }] },
      founder,
    );
    expect(added).toMatchObject({ status: 'active', folderAccess: [{ entry: { folder: 'f1', level: 'read' } }] });
    const changed = await identity.clientGroups.updateClientMember(
      { groupId, memberId: added.id, status: 'suspended', name: 'ignored', updateMask: { paths: ['status'] } },
      founder,
    );
    expect(changed).toEqual({ ...added, status: 'suspended' });
    const { members } = await identity.clientGroups.listClientMembers({ groupId }, founder);
    expect(members).toEqual([changed]);
    const remove = () => identity.clientGroups.removeClientMember({ groupId, memberId: added.id }, founder);
    expect(await remove()).toEqual({ id: added.id, deleted: true });
    expect(await refusalOf(remove())).toMatchObject({ kind: 'not_found', message: 'Client member not found' });
    expect(await identity.clientGroups.getClientGroup({ groupId }, founder)).toMatchObject({ members: [] });
  });

  it('have an e-mail of their own within the group, but not beyond it', async () => {
    const [one, two] = [await newGroup(), await newGroup()];
    const add = (groupId: string, email: string) =>
      identity.clientGroups.addClientMember({ groupId, name: 'Ann', email }, founder);
    await add(one.id, 'ann@client.example');
    expect(await refusalOf(add(one.id, 'ANN@client.example'))).toMatchObject({ code: 'client_member_exists' });
    await add(two.id, 'ann@client.example');
  });

  it('are not removed by a status, and not found in another group', async () => {
    const [one, two] = [await newGroup(), await newGroup()];
    const add = { groupId: one.id, name: 'Ann', email: 'ann@client.example' };
    expect(
      await refusalOf(identity.clientGroups.addClientMember({ ...add, status: 'removed' }, founder)),
    ).toMatchObject({
      kind: 'invalid',
    });
    const { id } = await identity.clientGroups.addClientMember(add, founder);
    const remove = identity.clientGroups.removeClientMember({ groupId: two.id, memberId: id }, founder);
    expect(await refusalOf(remove)).toMatchObject({ kind: 'not_found', message: 'Client member not found' });
  });
});

describe('the workspaces of a client group', () => {
  it('are added, changed, listed page by page and removed', async () => {
    const { id: groupId } = await newGroup();
    const added = await identity.clientGroups.addClientWorkspace({ groupId, name: 'Desk' }, founder);
    expect(added).toMatchObject({ description: '', accessLevel: 'VIEW' });
    clock.advance(1000);
    await identity.clientGroups.addClientWorkspace({ groupId, name: 'Desk', accessLevel: 'EDIT' }, founder);
    const changed = await identity.clientGroups.updateClientWorkspace(
      { groupId, workspaceId: added.id, accessLevel: 'MANAGE', updateMask: { paths: ['access_level'] } },
      founder,
    );
    expect(changed).toEqual({ ...added, accessLevel: 'MANAGE' });
    const first = await identity.clientGroups.listClientWorkspaces({ groupId, limit: 1, includeTotal: true }, founder);
    expect(first).toMatchObject({ totalCount: 2, workspaces: [changed] });
    const second = await identity.clientGroups.listClientWorkspaces({ groupId, cursor: first.nextCursor }, founder);
    expect(second.workspaces).toMatchObject([{ accessLevel: 'EDIT' }]);
    const remove = () => identity.clientGroups.removeClientWorkspace({ groupId, workspaceId: added.id }, founder);
    expect(await remove()).toEqual({ id: added.id, deleted: true });
    expect(await refusalOf(remove())).toMatchObject({ kind: 'not_found', message: 'Workspace not found' });
  });
});

describe('the policy of a client group', () => {
  it('is set as a whole, keeps large limits exact and null apart from zero, and is removed once', async () => {
    const { id: groupId } = await newGroup();
    const policy = { periodDays: 30, aiCreditLimit: '9007199254740993', requestLimit: '0', hardStop: true };
    const set = await identity.clientGroups.setClientPolicy(
      { groupId, ...policy, infrastructureCreditLimit: null },
      founder,
    );
    expect(set).toEqual({ ...policy, infrastructureCreditLimit: null });
    expect((await identity.clientGroups.getClientGroup({ groupId }, founder)).policy).toEqual(set);
    const remove = () => identity.clientGroups.removeClientPolicy({ groupId }, founder);
    expect(await remove()).toEqual({ id: groupId, deleted: true });
    expect((await identity.clientGroups.getClientGroup({ groupId }, founder)).policy).toBeNull();
    expect(await refusalOf(remove())).toMatchObject({ kind: 'not_found', message: 'Policy not found' });
  });
});

describe('the access lists of a client group', () => {
  it('are replaced one by one', async () => {
    const { id: groupId } = await newGroup();
    const list = [{ entry: { id: 'a', level: 'read' } }];
    await identity.clientGroups.setClientGroupAccess(
      { groupId, assetAccess: list, folderAccess: list, updateMask: { paths: ['asset_access', 'folder_access'] } },
      founder,
    );
    const changed = await identity.clientGroups.setClientGroupAccess(
      { groupId, assetAccess: [], updateMask: { paths: ['asset_access'] } },
      founder,
    );
    expect(changed).toMatchObject({ assetAccess: [], folderAccess: list, fileAccess: [] });
    expect(await identity.clientGroups.getClientGroup({ groupId }, founder)).toEqual(changed);
  });
});

describe('the usage of a client group', () => {
  it('is what billing last reported, whatever comes twice or late', async () => {
    const { id: groupId } = await newGroup();
    const organisationId = founder.organisation.id;
    const record = (version: string, requests: number) =>
      identity.billing.clientGroups.recordClientGroupUsage({
        organisationId,
        groupId,
        version,
        usage: { requests, plan: 'TEAM', period: null },
      });
    await record('2', 7);
    await record('1', 3);
    await record('2', 9);
    const usage = { requests: 7, plan: 'TEAM', period: null };
    expect(await identity.clientGroups.getClientGroupUsage({ groupId }, founder)).toEqual({ usage });
    expect(await identity.clientGroups.getClientGroup({ groupId }, founder)).toMatchObject({ usage });
  });

  it('is none when the period reported is over, wherever it is shown', async () => {
    const { id: groupId } = await newGroup();
    const report = (usage: object) =>
      identity.billing.clientGroups.recordClientGroupUsage({
        organisationId: founder.organisation.id,
        groupId,
        version: '1',
        usage: { ...usage },
      });
    await report({ requests: 7, period_ends_at: '2020-01-01T00:00:00.000Z' });
    const { usage } = await identity.clientGroups.getClientGroupUsage({ groupId }, founder);
    expect(usage['requests']).toBe(0);
    expect(Date.parse(String(usage['period_ends_at']))).toBeGreaterThan(Date.now());
    expect(await identity.clientGroups.getClientGroup({ groupId }, founder)).toMatchObject({ usage });
    const renamed = { groupId, name: 'new', updateMask: { paths: ['name'] } };
    expect(await identity.clientGroups.updateClientGroup(renamed, founder)).toMatchObject({ usage });
  });

  it('is refused for an unknown group, for values of other kinds, and from anybody but billing', async () => {
    const { id: groupId } = await newGroup();
    const report = { organisationId: founder.organisation.id, groupId, version: '1', usage: {} };
    const asBilling = (more: object) =>
      refusalOf(identity.billing.clientGroups.recordClientGroupUsage({ ...report, ...more }));
    expect(await asBilling({ groupId: unknown })).toMatchObject({ kind: 'not_found' });
    expect(await asBilling({ usage: { a: [1] } })).toMatchObject({ kind: 'invalid' });
    expect(await refusalOf(identity.clientGroups.recordClientGroupUsage(report, founder))).toMatchObject({
      kind: 'forbidden',
    });
    const content = identity.asService('content');
    expect(await refusalOf(content.clientGroups.recordClientGroupUsage(report))).toMatchObject({ kind: 'forbidden' });
  });
});

describe('what groups open to those who are in them', () => {
  const put = async (founder: Founder, name: string, file: string) => {
    const { id: groupId } = await identity.clientGroups.createClientGroup({ name }, founder);
    const fileAccess = [{ entry: { [file]: 'VIEW' } }];
    const changed = { groupId, fileAccess, updateMask: { paths: ['file_access'] } };
    await identity.clientGroups.setClientGroupAccess(changed, founder);
    return groupId;
  };
  const accessOf = (founder: Founder, subject: { userId: string } | { apiKeyId: string }) =>
    identity
      .asService('content')
      .clientGroups.resolveClientAccess(subject, { caller: { organisationId: founder.organisation.id } });

  it('is that of all groups of a person, by the verified address, and of the default group for all others', async () => {
    const founder = await identity.found('Uma');
    const { userId = '' } = await identity.join(founder, 'Vic');
    const [one, two] = [await put(founder, 'One', 'a'), await put(founder, 'Two', 'b')];
    const {
      clientGroups: [standard],
    } = await identity.clientGroups.listClientGroups({ search: 'default' }, founder);
    expect(await accessOf(founder, { userId })).toMatchObject({ groupIds: [standard?.id], files: [] });
    const folderAccess = [{ entry: { board: 'EDIT' } }];
    const client = { name: 'Vic', email: 'VIC@people.example' };
    const { id: memberId } = await identity.clientGroups.addClientMember({ groupId: one, ...client }, founder);
    await identity.clientGroups.addClientMember({ groupId: two, ...client, folderAccess }, founder);
    const both = { groupIds: [one, two], files: ['a', 'b'], folders: ['board'], assets: [] };
    expect(await accessOf(founder, { userId })).toEqual(both);
    const suspension = { groupId: one, memberId, status: 'suspended' as const, updateMask: { paths: ['status'] } };
    await identity.clientGroups.updateClientMember(suspension, founder);
    await identity.clientGroups.archiveClientGroup({ groupId: two }, founder);
    // A client is none of the organisation's own people, also where no group counts any more.
    expect(await accessOf(founder, { userId })).toEqual({ groupIds: [], files: [], folders: [], assets: [] });
    await identity.signIn('Vic', founder.organisation.id, { emailVerified: false });
    await identity.clientGroups.restoreClientGroup({ groupId: two }, founder);
    expect(await accessOf(founder, { userId })).toMatchObject({ groupIds: [standard?.id] });
  });

  it('is that of the group a key names, and nothing for strangers', async () => {
    const [founder, other] = [await identity.found('Wes'), await identity.found('Xia')];
    const groupId = await put(founder, 'One', 'a');
    const { id: apiKeyId } = await identity.apiKeys.createApiKey({ name: 'k', clientGroupId: groupId }, founder);
    expect(await accessOf(founder, { apiKeyId })).toMatchObject({ groupIds: [groupId], files: ['a'] });
    const nothing = { groupIds: [], files: [], folders: [], assets: [] };
    expect(await accessOf(other, { apiKeyId })).toEqual(nothing);
    expect(await accessOf(other, { userId: founder.caller.userId ?? '' })).toEqual(nothing);
    // It is in a client's hands: what is for the organisation's own people is not for it.
    await identity.clientGroups.archiveClientGroup({ groupId }, founder);
    expect(await accessOf(founder, { apiKeyId })).toEqual(nothing);
  });

  it('ends with the group: an archived one is none that is there, and so is that of another organisation', async () => {
    const [founder, other] = [await identity.found('Yan'), await identity.found('Zoe')];
    const [one, two, theirs] = [
      await put(founder, 'One', 'a'),
      await put(founder, 'Two', 'a'),
      await put(other, 'One', 'a'),
    ];
    await identity.clientGroups.archiveClientGroup({ groupId: two }, founder);
    const asked = { groupIds: [one, two, theirs] };
    const options = { caller: { organisationId: founder.organisation.id } };
    const { groupIds } = await identity.asService('content').clientGroups.resolveClientGroups(asked, options);
    expect(groupIds).toEqual([one]);
  });
});
