import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@platform/auth';
import { loadContract, type Operation } from '@platform/contract';
import { createLogger } from '@platform/core';
import { openDatabase } from '@platform/postgres';
import { refusalOf, startTestIdentity, type Founder, type TestIdentity } from './test-identity.ts';

/** Ids of one of each thing that an organisation has. */
type Things = Readonly<
  Record<'memberId' | 'invitationId' | 'groupId' | 'clientMemberId' | 'workspaceId' | 'keyId', string>
>;

const unknown = '0192a000-0000-7000-8000-000000000000';
const nothing: Things = {
  memberId: unknown,
  invitationId: unknown,
  groupId: unknown,
  clientMemberId: unknown,
  workspaceId: unknown,
  keyId: unknown,
};
const mask = (...paths: string[]) => ({ updateMask: { paths } });

/** Operations that name a thing by its id, each with the request that names it. */
const naming: Readonly<Record<string, (things: Things) => object>> = {
  'OrganisationService/TransferOwnership': ({ memberId }) => ({ memberId }),
  'MemberService/GetMember': ({ memberId }) => ({ memberId }),
  'MemberService/UpdateMember': ({ memberId }) => ({
    memberId,
    permissionLevel: 'VIEWER',
    ...mask('permission_level'),
  }),
  'MemberService/RemoveMember': ({ memberId }) => ({ memberId }),
  'MemberService/AcceptInvitation': ({ invitationId }) => ({ invitationId }),
  'MemberService/DeclineInvitation': ({ invitationId }) => ({ invitationId }),
  'ClientGroupService/GetClientGroup': ({ groupId }) => ({ groupId }),
  'ClientGroupService/UpdateClientGroup': ({ groupId }) => ({ groupId, name: 'mine', ...mask('name') }),
  'ClientGroupService/ArchiveClientGroup': ({ groupId }) => ({ groupId }),
  'ClientGroupService/RestoreClientGroup': ({ groupId }) => ({ groupId }),
  'ClientGroupService/MakeDefaultClientGroup': ({ groupId }) => ({ groupId }),
  'ClientGroupService/ListClientMembers': ({ groupId }) => ({ groupId }),
  'ClientGroupService/AddClientMember': ({ groupId }) => ({ groupId, name: 'n', email: 'new@client.example' }),
  'ClientGroupService/UpdateClientMember': ({ groupId, clientMemberId }) => ({
    groupId,
    memberId: clientMemberId,
    name: 'mine',
    ...mask('name'),
  }),
  'ClientGroupService/RemoveClientMember': ({ groupId, clientMemberId }) => ({ groupId, memberId: clientMemberId }),
  'ClientGroupService/ListClientWorkspaces': ({ groupId }) => ({ groupId }),
  'ClientGroupService/AddClientWorkspace': ({ groupId }) => ({ groupId, name: 'n' }),
  'ClientGroupService/UpdateClientWorkspace': ({ groupId, workspaceId }) => ({
    groupId,
    workspaceId,
    name: 'mine',
    ...mask('name'),
  }),
  'ClientGroupService/RemoveClientWorkspace': ({ groupId, workspaceId }) => ({ groupId, workspaceId }),
  'ClientGroupService/SetClientPolicy': ({ groupId }) => ({ groupId, periodDays: 1, hardStop: true }),
  'ClientGroupService/RemoveClientPolicy': ({ groupId }) => ({ groupId }),
  'ClientGroupService/SetClientGroupAccess': ({ groupId }) => ({ groupId, fileAccess: [], ...mask('file_access') }),
  'ClientGroupService/GetClientGroupUsage': ({ groupId }) => ({ groupId }),
  'ApiKeyService/CreateApiKey': ({ groupId }) => ({ name: 'mine', clientGroupId: groupId }),
  'ApiKeyService/GetApiKey': ({ keyId }) => ({ keyId }),
  'ApiKeyService/UpdateApiKey': ({ keyId }) => ({ keyId, name: 'mine', ...mask('name') }),
  'ApiKeyService/RotateApiKey': ({ keyId }) => ({ keyId }),
  'ApiKeyService/RevokeApiKey': ({ keyId }) => ({ keyId }),
};

/** Operations that read without naming anything. Their answers must not contain anything of the other organisation. */
const reading = [
  'OrganisationService/ListOrganisations',
  'OrganisationService/GetCurrentOrganisation',
  'MemberService/ListMembers',
  'MemberService/ListInvitations',
  'ClientGroupService/ListClientGroups',
  'ApiKeyService/ListApiKeys',
  'AuditService/ListAuditEntries',
];

/** Operations that can only be about the caller's own organisation: they take no id at all. */
const withoutIds = [
  'OrganisationService/CreateOrganisation',
  'OrganisationService/UpdateCurrentOrganisation',
  'OrganisationService/DeleteCurrentOrganisation',
  'OrganisationService/LeaveOrganisation',
  'MemberService/InviteMember',
  'ClientGroupService/CreateClientGroup',
];

const operations: readonly Operation[] = loadContract().operations.filter(
  ({ domain, access }) => domain === 'identity' && access.credentials.length > 0,
);
const nameOf = ({ service, method }: Operation) => `${service.slice('platform.identity.v1.'.length)}/${method}`;

let identity: TestIdentity;
let one: Founder;
let other: Founder;
let theirs: Things;
let own: Things;
beforeAll(async () => {
  identity = await startTestIdentity();
  [one, other] = [await identity.found('Ada'), await identity.found('Bob')];
  [own, theirs] = [await furnish(one, 'Own'), await furnish(other, 'Theirs')];
});
afterAll(() => identity.stop());

/** Gives an organisation one of each thing. */
async function furnish(founder: Founder, name: string): Promise<Things> {
  await identity.join(founder, `${name}-member`, 'EDITOR');
  const { members } = await identity.members.listMembers({}, founder);
  const email = `${name}-guest@people.example`;
  const { id: invitationId } = await identity.members.inviteMember({ email, permissionLevel: 'VIEWER' }, founder);
  const { id: groupId } = await identity.clientGroups.createClientGroup({ name: `${name}-group` }, founder);
  const client = await identity.clientGroups.addClientMember({ groupId, name, email: 'a@client.example' }, founder);
  const workspace = await identity.clientGroups.addClientWorkspace({ groupId, name }, founder);
  const { id: keyId } = await identity.apiKeys.createApiKey({ name: `${name}-key` }, founder);
  return {
    memberId: members[1]?.id ?? '',
    invitationId,
    groupId,
    clientMemberId: client.id,
    workspaceId: workspace.id,
    keyId,
  };
}

function call(operation: string, request: object, caller: Caller): Promise<unknown> {
  const [service = '', method = ''] = operation.split('/');
  const client = identity.clientOf(service) as Record<
    string,
    (request: object, options: { caller: Caller }) => Promise<unknown>
  >;
  const rpc = client[method.charAt(0).toLowerCase() + method.slice(1)];
  if (!rpc) throw new Error(`no client for ${operation}`);
  return rpc(request, { caller });
}

describe('two organisations', () => {
  it('are tried with every operation there is', () => {
    expect([...Object.keys(naming), ...reading, ...withoutIds].sort()).toEqual(operations.map(nameOf).sort());
  });

  it.each(Object.entries(naming))(
    "cannot tell the other's ids from ids that do not exist: %s",
    async (name, request) => {
      const foreign = await refusalOf(call(name, request(theirs), one.caller));
      expect(foreign.kind).toBe('not_found');
      expect(foreign).toEqual(await refusalOf(call(name, request(nothing), one.caller)));
    },
  );

  it.each(['ClientMember', 'ClientWorkspace'].flatMap((part) => [`Update${part}`, `Remove${part}`]))(
    "cannot reach into the other's group through one of their own: %s",
    async (method) => {
      const name = `ClientGroupService/${method}`;
      const attempt = (things: Things) =>
        refusalOf(call(name, naming[name]?.({ ...things, groupId: own.groupId }) ?? {}, one.caller));
      const foreign = await attempt(theirs);
      expect(foreign.kind).toBe('not_found');
      expect(foreign).toEqual(await attempt(nothing));
    },
  );

  it("cannot give one of their own API keys to the other's client group", async () => {
    const attempt = ({ groupId }: Things) => {
      const change = { keyId: own.keyId, clientGroupId: groupId, ...mask('client_group_id') };
      return refusalOf(call('ApiKeyService/UpdateApiKey', change, one.caller));
    };
    const foreign = await attempt(theirs);
    expect(foreign).toMatchObject({ kind: 'not_found', message: 'Client group not found' });
    expect(foreign).toEqual(await attempt(nothing));
  });

  it.each(reading)('see nothing of each other: %s', async (name) => {
    const answer = JSON.stringify(await call(name, {}, one.caller));
    for (const trace of [...Object.values(theirs), other.organisation.id, other.caller.userId, 'Bob', 'Theirs']) {
      expect(answer).not.toContain(trace);
    }
  });

  it("have left each other's things as they were", async () => {
    const { clientGroups } = await identity.clientGroups.listClientGroups({ search: 'Theirs' }, other);
    expect(clientGroups).toMatchObject([
      { id: theirs.groupId, name: 'Theirs-group', isDefault: false, archived: false, policy: null },
    ]);
    expect(await identity.clientGroups.getClientGroup({ groupId: theirs.groupId }, other)).toMatchObject({
      members: [{ name: 'Theirs' }],
      workspaces: [{ name: 'Theirs' }],
    });
    const { members } = await identity.members.listMembers({}, other);
    expect(members.map(({ status, permissionLevel }) => [status, permissionLevel])).toEqual([
      ['active', 'OWNER'],
      ['active', 'EDITOR'],
      ['invited', 'VIEWER'],
    ]);
    const { apiKeys } = await identity.apiKeys.listApiKeys({}, other);
    expect(apiKeys).toMatchObject([{ id: theirs.keyId, name: 'Theirs-key' }]);
  });

  it('are kept apart by the database itself, in every table, whatever a query asks for', async () => {
    const logger = createLogger({ service: 'test', level: 'silent' });
    const database = openDatabase({ url: identity.database.appUrl, applicationName: 'test', logger });
    try {
      const { rows } = await database.knex.raw<{ rows: { name: string }[] }>(
        `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relkind = 'r' AND a.attname = 'organisation_id' AND c.relnamespace = 'public'::regnamespace`,
      );
      expect(rows.length).toBeGreaterThanOrEqual(9);
      await database.tenant(other.organisation.id, (trx) =>
        trx.raw(
          `INSERT INTO events_set_aside (sequence, id, organisation_id, type, subject, envelope, created_at, reason)
           SELECT sequence, id, organisation_id, type, subject, envelope, created_at, 'too large' FROM outbox LIMIT 1`,
        ),
      );
      const seen = (organisationId: string, table: string) =>
        database.tenant(organisationId, async (trx) => {
          const found = trx<{ organisation_id: string }>(table).where({ organisation_id: other.organisation.id });
          return (await found.select('organisation_id')).length;
        });
      // These two hold nothing here: identity consumes no events, and every event it makes can be published.
      const empty = ['inbox', 'events_set_aside'];
      for (const { name } of rows.filter((row) => !empty.includes(row.name))) {
        expect([name, await seen(one.organisation.id, name)]).toEqual([name, 0]);
        expect(await seen(other.organisation.id, name)).toBeGreaterThan(0);
      }
    } finally {
      await database.close();
    }
  });
});
