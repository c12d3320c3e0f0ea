import { apiKeyHash } from '@platform-backend/auth';
import { newId } from '@platform-backend/core';
import {
  killedCallsSuite,
  serviceSuites,
  type KnownOperation,
  type ServiceUnderTest,
} from '@platform-backend/service/testing/suites';
import { service } from '../src/service.ts';
import { startTestIdentity, type Founder, type TestIdentity } from './test-identity.ts';

const mask = (...paths: string[]) => ({ updateMask: { paths } });

let identity: TestIdentity;

/** Gives an organisation one of each thing. */
async function seed(_: unknown, name: string) {
  const founder = await identity.found(`${name}-founder`);
  const { id: memberId } = await identity.join(founder, `${name}-member`, 'EDITOR').then(() => memberOf(founder));
  const guest = await identity.signIn(`${name}-guest`);
  const email = guest.userEmail ?? '';
  const { id: invitationId } = await identity.members.inviteMember({ email, permissionLevel: 'VIEWER' }, founder);
  const { id: groupId } = await identity.clientGroups.createClientGroup({ name: `${name}-group` }, founder);
  const client = { groupId, name, email: 'a@client.example' };
  const { id: clientMemberId } = await identity.clientGroups.addClientMember(client, founder);
  const { id: workspaceId } = await identity.clientGroups.addClientWorkspace({ groupId, name }, founder);
  const { id: keyId, apiKey } = await identity.apiKeys.createApiKey({ name: `${name}-key` }, founder);
  return {
    organisationId: founder.organisation.id,
    caller: founder.caller,
    others: { guest, member: await identity.signIn(`${name}-member`, founder.organisation.id) },
    ids: {
      keyHash: apiKeyHash(apiKey).toString('hex'),
      organisationId: founder.organisation.id,
      memberId,
      invitationId,
      groupId,
      clientMemberId,
      workspaceId,
      keyId,
    },
  };
}

async function memberOf(founder: Founder): Promise<{ id: string }> {
  const { members } = await identity.members.listMembers({}, founder);
  return { id: members[1]?.id ?? '' };
}

type Ids = Awaited<ReturnType<typeof seed>>['ids'];

/** Who may call what (D13, D14), with a request that is carried out. */
const operations: Readonly<Record<string, KnownOperation<Ids>>> = {
  'OrganisationService/CreateOrganisation': [
    'anybody signed in',
    'no key',
    () => ({ email: 'new@company.example', name: 'New' }),
  ],
  'OrganisationService/ListOrganisations': ['anybody signed in', 'no key'],
  'OrganisationService/GetCurrentUser': ['anybody signed in', 'key'],
  'OrganisationService/GetCurrentOrganisation': ['VIEWER', 'key', undefined, { services: ['billing'] }],
  'OrganisationService/UpdateCurrentOrganisation': ['ADMIN', 'key', () => ({ name: 'mine', ...mask('name') })],
  'OrganisationService/DeleteCurrentOrganisation': ['OWNER', 'no key'],
  'OrganisationService/TransferOwnership': ['OWNER', 'no key', ({ memberId }) => ({ memberId })],
  'OrganisationService/LeaveOrganisation': ['VIEWER', 'no key', () => ({}), { by: 'member' }],
  'OrganisationService/ApplySubscription': [
    ['billing'],
    'no key',
    ({ organisationId }) => ({
      organisationId,
      version: '1',
      subscriptionTier: 'TEAM',
      maxMemberLimit: 7,
      seatsRenewalEnabled: true,
      seatsRenewalCycle: 'MONTHLY',
      hasPlan: true,
    }),
  ],
  'OrganisationService/ResolveOrganisation': [['billing'], 'no key', ({ organisationId }) => ({ organisationId })],
  'MemberService/ListMembers': ['VIEWER', 'key'],
  'MemberService/GetMember': ['VIEWER', 'key', ({ memberId }) => ({ memberId })],
  'MemberService/ResolveMembers': [['billing', 'content', 'pipelines'], 'no key', () => ({ userIds: [newId()] })],
  'MemberService/InviteMember': ['ADMIN', 'key', () => ({ email: 'new@people.example', permissionLevel: 'VIEWER' })],
  'MemberService/UpdateMember': [
    'ADMIN',
    'key',
    ({ memberId }) => ({ memberId, permissionLevel: 'VIEWER', ...mask('permission_level') }),
  ],
  'MemberService/RemoveMember': ['ADMIN', 'key', ({ memberId }) => ({ memberId })],
  'MemberService/ListInvitations': ['anybody signed in', 'no key'],
  'MemberService/AcceptInvitation': [
    'anybody signed in',
    'no key',
    ({ invitationId }) => ({ invitationId }),
    { by: 'guest' },
  ],
  'MemberService/DeclineInvitation': [
    'anybody signed in',
    'no key',
    ({ invitationId }) => ({ invitationId }),
    { by: 'guest' },
  ],
  'ClientGroupService/CreateClientGroup': ['ADMIN', 'key', () => ({ name: 'new' })],
  'ClientGroupService/ListClientGroups': ['VIEWER', 'key'],
  'ClientGroupService/GetClientGroup': ['VIEWER', 'key', ({ groupId }) => ({ groupId })],
  'ClientGroupService/UpdateClientGroup': [
    'ADMIN',
    'key',
    ({ groupId }) => ({ groupId, name: 'mine', ...mask('name') }),
  ],
  'ClientGroupService/ArchiveClientGroup': ['ADMIN', 'key', ({ groupId }) => ({ groupId })],
  'ClientGroupService/RestoreClientGroup': [
    'ADMIN',
    'key',
    ({ groupId }) => ({ groupId }),
    { after: 'ClientGroupService/ArchiveClientGroup' },
  ],
  'ClientGroupService/MakeDefaultClientGroup': ['ADMIN', 'key', ({ groupId }) => ({ groupId })],
  'ClientGroupService/ListClientMembers': ['VIEWER', 'key', ({ groupId }) => ({ groupId })],
  'ClientGroupService/AddClientMember': [
    'ADMIN',
    'key',
    ({ groupId }) => ({ groupId, name: 'n', email: 'new@client.example' }),
  ],
  'ClientGroupService/UpdateClientMember': [
    'ADMIN',
    'key',
    ({ groupId, clientMemberId: memberId }) => ({ groupId, memberId, name: 'mine', ...mask('name') }),
  ],
  'ClientGroupService/RemoveClientMember': [
    'ADMIN',
    'key',
    ({ groupId, clientMemberId: memberId }) => ({ groupId, memberId }),
  ],
  'ClientGroupService/ListClientWorkspaces': ['VIEWER', 'key', ({ groupId }) => ({ groupId })],
  'ClientGroupService/AddClientWorkspace': ['ADMIN', 'key', ({ groupId }) => ({ groupId, name: 'n' })],
  'ClientGroupService/UpdateClientWorkspace': [
    'ADMIN',
    'key',
    ({ groupId, workspaceId }) => ({ groupId, workspaceId, name: 'mine', ...mask('name') }),
  ],
  'ClientGroupService/RemoveClientWorkspace': [
    'ADMIN',
    'key',
    ({ groupId, workspaceId }) => ({ groupId, workspaceId }),
  ],
  'ClientGroupService/SetClientPolicy': ['ADMIN', 'key', ({ groupId }) => ({ groupId, periodDays: 1, hardStop: true })],
  'ClientGroupService/RemoveClientPolicy': [
    'ADMIN',
    'key',
    ({ groupId }) => ({ groupId }),
    { after: 'ClientGroupService/SetClientPolicy' },
  ],
  'ClientGroupService/SetClientGroupAccess': [
    'ADMIN',
    'key',
    ({ groupId }) => ({ groupId, fileAccess: [{ id: 'f', accessLevel: 'VIEW' }], ...mask('file_access') }),
  ],
  'ClientGroupService/GetClientGroupUsage': ['VIEWER', 'key', ({ groupId }) => ({ groupId })],
  'ClientGroupService/ResolveClientAccess': [['content'], 'no key', ({ keyId }) => ({ apiKeyId: keyId })],
  'ClientGroupService/ResolveClientGroups': [['content'], 'no key', ({ groupId }) => ({ groupIds: [groupId] })],
  'ClientGroupService/ResolveClientPolicy': [
    ['billing'],
    'no key',
    ({ organisationId, groupId }) => ({ organisationId, groupId }),
  ],
  'ClientGroupService/RecordClientGroupUsage': [
    ['billing'],
    'no key',
    ({ organisationId, groupId }) => ({ organisationId, groupId, version: '1' }),
  ],
  'ApiKeyService/CreateApiKey': ['EDITOR', 'no key', ({ groupId }) => ({ name: 'mine', clientGroupId: groupId })],
  'ApiKeyService/ListApiKeys': ['VIEWER', 'key'],
  'ApiKeyService/GetApiKey': ['VIEWER', 'key', ({ keyId }) => ({ keyId })],
  'ApiKeyService/UpdateApiKey': [
    'EDITOR',
    'no key',
    ({ keyId, groupId }) => ({ keyId, clientGroupId: groupId, ...mask('client_group_id') }),
  ],
  'ApiKeyService/RotateApiKey': ['EDITOR', 'no key', ({ keyId }) => ({ keyId })],
  'ApiKeyService/RevokeApiKey': ['EDITOR', 'key', ({ keyId }) => ({ keyId })],
  'AuditService/ListAuditEntries': [
    'ADMIN',
    'key',
    ({ groupId, memberId }) => ({ targetId: groupId, actorId: memberId, onBehalfOfUserId: memberId }),
  ],
  'AuthenticationService/EndSessions': [
    ['gateway'],
    'no key',
    () => ({ issuer: 'https://id.test', tokenId: newId(), subject: newId(), endedAt: new Date() }),
  ],
  'AuthenticationService/ResolveUser': [
    ['gateway'],
    'no key',
    () => ({ issuer: 'https://id.test', subject: newId(), name: 'n', email: 'n@people.example', emailVerified: true }),
  ],
  'AuthenticationService/ResolveApiKey': [
    ['gateway'],
    'no key',
    ({ keyHash }) => ({ keyHash: Buffer.from(keyHash, 'hex') }),
  ],
};

const tested: ServiceUnderTest<Ids> = {
  service,
  start: async () => (identity = await startTestIdentity({ idle: true })),
  seed,
  operations,
  sharedTables: ['ended_sessions', 'users'],
  emptyTables: ['events_set_aside', 'inbox'],
  idsOfTheirOwn: {
    'OrganisationService/ApplySubscription': 'billing names the organisation on its own authority',
    'OrganisationService/ResolveOrganisation': 'billing names the organisation on its own authority',
    'ClientGroupService/ResolveClientAccess':
      'it takes a user or a key, and of those who are unknown here answers nothing',
    'ClientGroupService/ResolveClientGroups': 'groups of others are none of those that are answered',
    'ClientGroupService/ResolveClientPolicy': 'billing names the organisation on its own authority',
    'ClientGroupService/RecordClientGroupUsage': 'billing names the organisation on its own authority',
    'AuthenticationService/ResolveApiKey': 'it finds out which organisation a key is of',
    'AuthenticationService/EndSessions': 'sessions at the issuer belong to no organisation',
    'AuthenticationService/ResolveUser': 'it finds out which organisation a caller is of',
  },
  silent: {
    'AuthenticationService/EndSessions': 'sessions at the issuer belong to no organisation',
    'AuthenticationService/ResolveUser': 'people belong to no organisation',
    'ClientGroupService/RecordClientGroupUsage': 'it is a projection of what billing counts',
  },
};

serviceSuites(tested);
killedCallsSuite(tested);
