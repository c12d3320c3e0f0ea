import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PERMISSION_LEVELS, type Caller, type PermissionLevel } from '@platform/auth';
import { loadContract } from '@platform/contract';
import { DomainError, newId } from '@platform/core';
import type { CallOptions } from '@platform/grpc';
import { startTestIdentity, type TestIdentity } from './test-identity.ts';

/** Who may call what (D13, D14): the least level, and whether a key may. Written by hand, so that a slip is seen. */
const rules: Readonly<Record<string, readonly [PermissionLevel | 'anybody signed in', 'key' | 'no key']>> = {
  'OrganisationService/CreateOrganisation': ['anybody signed in', 'no key'],
  'OrganisationService/ListOrganisations': ['anybody signed in', 'no key'],
  'OrganisationService/GetCurrentOrganisation': ['VIEWER', 'key'],
  'OrganisationService/UpdateCurrentOrganisation': ['ADMIN', 'key'],
  'OrganisationService/DeleteCurrentOrganisation': ['OWNER', 'no key'],
  'OrganisationService/TransferOwnership': ['OWNER', 'no key'],
  'OrganisationService/LeaveOrganisation': ['VIEWER', 'no key'],
  'MemberService/ListMembers': ['VIEWER', 'key'],
  'MemberService/GetMember': ['VIEWER', 'key'],
  'MemberService/InviteMember': ['ADMIN', 'key'],
  'MemberService/UpdateMember': ['ADMIN', 'key'],
  'MemberService/RemoveMember': ['ADMIN', 'key'],
  'MemberService/ListInvitations': ['anybody signed in', 'no key'],
  'MemberService/AcceptInvitation': ['anybody signed in', 'no key'],
  'MemberService/DeclineInvitation': ['anybody signed in', 'no key'],
  'ClientGroupService/CreateClientGroup': ['ADMIN', 'key'],
  'ClientGroupService/ListClientGroups': ['VIEWER', 'key'],
  'ClientGroupService/GetClientGroup': ['VIEWER', 'key'],
  'ClientGroupService/UpdateClientGroup': ['ADMIN', 'key'],
  'ClientGroupService/ArchiveClientGroup': ['ADMIN', 'key'],
  'ClientGroupService/RestoreClientGroup': ['ADMIN', 'key'],
  'ClientGroupService/MakeDefaultClientGroup': ['ADMIN', 'key'],
  'ClientGroupService/ListClientMembers': ['VIEWER', 'key'],
  'ClientGroupService/AddClientMember': ['ADMIN', 'key'],
  'ClientGroupService/UpdateClientMember': ['ADMIN', 'key'],
  'ClientGroupService/RemoveClientMember': ['ADMIN', 'key'],
  'ClientGroupService/ListClientWorkspaces': ['VIEWER', 'key'],
  'ClientGroupService/AddClientWorkspace': ['ADMIN', 'key'],
  'ClientGroupService/UpdateClientWorkspace': ['ADMIN', 'key'],
  'ClientGroupService/RemoveClientWorkspace': ['ADMIN', 'key'],
  'ClientGroupService/SetClientPolicy': ['ADMIN', 'key'],
  'ClientGroupService/RemoveClientPolicy': ['ADMIN', 'key'],
  'ClientGroupService/SetClientGroupAccess': ['ADMIN', 'key'],
  'ClientGroupService/GetClientGroupUsage': ['VIEWER', 'key'],
  'ApiKeyService/CreateApiKey': ['EDITOR', 'no key'],
  'ApiKeyService/ListApiKeys': ['VIEWER', 'key'],
  'ApiKeyService/GetApiKey': ['VIEWER', 'key'],
  'ApiKeyService/UpdateApiKey': ['EDITOR', 'no key'],
  'ApiKeyService/RotateApiKey': ['EDITOR', 'no key'],
  'ApiKeyService/RevokeApiKey': ['EDITOR', 'key'],
  'AuditService/ListAuditEntries': ['ADMIN', 'key'],
};

const operations = loadContract().operations.filter(({ domain }) => domain === 'identity');
const nameOf = ({ service, method }: { service: string; method: string }) =>
  `${service.slice('platform.identity.v1.'.length)}/${method}`;

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

/** Nobody in particular, in an organisation that does not exist: whoever gets past the permission finds nothing. */
const member = (level: PermissionLevel): Caller => ({
  kind: 'user',
  service: 'gateway',
  organisationId: 'org_nowhere',
  userId: newId(),
  userName: 'Nobody',
  userEmail: 'nobody@people.example',
  emailVerified: true,
  level,
  scopes: [],
});
const keyOf = (level: PermissionLevel, ...scopes: string[]): Caller => ({
  ...member(level),
  kind: 'api_key',
  apiKeyId: newId(),
  scopes,
});

/** `allowed` when the service got as far as looking for something. */
async function outcome(name: string, caller: Caller): Promise<string> {
  const [service = '', method = ''] = name.split('/');
  const client = identity.clientOf(service) as Record<
    string,
    (request: object, options: CallOptions) => Promise<unknown>
  >;
  const rpc = client[method.charAt(0).toLowerCase() + method.slice(1)];
  if (!rpc) throw new Error(`no client for ${name}`);
  const refusal: unknown = await rpc({}, { caller }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const kind = refusal instanceof DomainError ? refusal.kind : undefined;
  return kind === 'forbidden' || kind === 'unauthenticated' ? kind : 'allowed';
}

describe('permission', () => {
  it('is written down for every operation', () => {
    const open = operations.filter(({ access }) => access.credentials.length > 0);
    expect(Object.keys(rules).sort()).toEqual(open.map(nameOf).sort());
  });

  it.each(Object.entries(rules))('is given by level and credential: %s', async (name, [least, keys]) => {
    const needed = least === 'anybody signed in' ? 0 : PERMISSION_LEVELS.indexOf(least);
    for (const [rank, level] of PERMISSION_LEVELS.entries()) {
      expect([level, await outcome(name, member(level))]).toEqual([level, rank >= needed ? 'allowed' : 'forbidden']);
      const byKey = keys === 'key' && rank >= needed && least !== 'OWNER' ? 'allowed' : 'forbidden';
      expect([level, 'key', await outcome(name, keyOf(level, '*:admin'))]).toEqual([level, 'key', byKey]);
      expect(await outcome(name, keyOf(level))).toBe('forbidden');
      expect(await outcome(name, keyOf(level, 'elsewhere:admin'))).toBe('forbidden');
    }
    const { organisationId: _none, level: _neither, ...outsider } = member('OWNER');
    expect(await outcome(name, outsider)).toBe(least === 'anybody signed in' ? 'allowed' : 'forbidden');
    expect(await outcome(name, { kind: 'anonymous', service: 'gateway', scopes: [] })).toBe('unauthenticated');
    expect(await outcome(name, { kind: 'service', service: 'gateway', scopes: [] })).toBe('forbidden');
  });

  it.each(operations.filter(({ access }) => access.credentials.length === 0).map(nameOf))(
    'is never given to people and keys where services talk to each other: %s',
    async (name) => {
      expect(await outcome(name, member('OWNER'))).toBe('forbidden');
      expect(await outcome(name, keyOf('OWNER', '*:admin'))).toBe('forbidden');
    },
  );
});
