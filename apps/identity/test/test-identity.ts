import { apiKeyHash, generateServiceKeys, type Caller } from '@platform-backend/auth';
import type {
  ApiKeyServiceClient,
  AuditServiceClient,
  AuthenticationServiceClient,
  ClientGroupServiceClient,
  MemberServiceClient,
  Organisation,
  OrganisationServiceClient,
  ResolvedCaller,
} from '@platform-backend/contract-identity';
import type { PermissionLevel } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { startTestService, type Callers, type TestServiceOptions } from '@platform-backend/service/testing';
import pg from 'pg';
import { compose } from '../src/areas.ts';
import { service } from '../src/service.ts';

/** A person who founded an organisation. */
export interface Founder {
  readonly caller: Caller;
  readonly organisation: Organisation;
}

/** The whole service on a database of its own, with a client of each of its services and people to call it. */
export type TestIdentity = Awaited<ReturnType<typeof startTestIdentity>>;

const keys = await generateServiceKeys(['gateway', 'pipelines', 'billing', 'content']);

export async function startTestIdentity({ environment, ...options }: TestServiceOptions = {}) {
  const running = await startTestService(service, compose, keys, {
    ...options,
    environment: { IDENTITY_KEY_USE_FLUSH_SECONDS: '3600', ...environment },
  });
  const admin = new pg.Client({ connectionString: running.database.adminUrl });
  await admin.connect();
  const clients = clientsOf(running.calledBy('gateway'));

  return {
    ...clients,
    /** The same service, as billing calls it. */
    billing: clientsOf(running.calledBy('billing')),
    /** As any other service calls it. */
    asService: (name: string) => clientsOf(running.calledBy(name)),
    calledBy: running.calledBy,
    env: running.env,
    database: running.database,
    /** The database as nobody but its administrator sees it: everything of everybody. */
    admin,
    /** Client members put there without the service, for a test that starts from many; `folderAccess` is SQL. */
    fillGroup: ({ organisation }: Founder, groupId: string, members: number, folderAccess = `'[]'`) =>
      admin.query(
        `INSERT INTO client_members (id, organisation_id, group_id, name, email, status, folder_access, file_access, created_at)
         SELECT gen_random_uuid(), $1, $2, 'Ann', 'f' || i || '@client.example', 'active', ${folderAccess}, '[]', now()
         FROM generate_series(1, $3) i`,
        [organisation.id, groupId, members],
      ),
    ...peopleOf(clients),
    stop: async () => {
      await admin.end();
      await running.stop();
    },
  };
}

type Clients = ReturnType<typeof clientsOf>;

const clientsOf = ({ to }: Callers) => ({
  organisations: to<OrganisationServiceClient<CallOptions>>('OrganisationService'),
  members: to<MemberServiceClient<CallOptions>>('MemberService'),
  clientGroups: to<ClientGroupServiceClient<CallOptions>>('ClientGroupService'),
  apiKeys: to<ApiKeyServiceClient<CallOptions>>('ApiKeyService'),
  audit: to<AuditServiceClient<CallOptions>>('AuditService'),
  authentication: to<AuthenticationServiceClient<CallOptions>>('AuthenticationService'),
});

/** People and keys as the gateway knows them: by asking the service who they are. */
function peopleOf(clients: Clients) {
  const signIn = async (name: string, organisationId = '', more: { email?: string; emailVerified?: boolean } = {}) => {
    const resolved = await clients.authentication.resolveUser({
      issuer: 'https://id.test',
      subject: name,
      name,
      email: more.email ?? `${name.toLowerCase()}@people.example`,
      emailVerified: more.emailVerified ?? true,
      organisationId,
    });
    return callerOf(resolved);
  };

  const found = async (name: string): Promise<Founder> => {
    const organisation = await clients.organisations.createOrganisation(
      { email: `${name}@company.example`, name: `${name}'s company`, imageUrl: '' },
      { caller: await signIn(name) },
    );
    return { organisation, caller: await signIn(name, organisation.id) };
  };

  const join = async ({ caller, organisation }: Founder, name: string, level: PermissionLevel = 'VIEWER') => {
    const person = await signIn(name);
    const { id } = await clients.members.inviteMember(
      { email: person.userEmail ?? '', permissionLevel: level },
      { caller },
    );
    await clients.members.acceptInvitation({ invitationId: id }, { caller: person });
    return signIn(name, organisation.id);
  };

  const withKey = async (apiKey: string) =>
    callerOf(await clients.authentication.resolveApiKey({ keyHash: apiKeyHash(apiKey) }));

  return { signIn, found, join, withKey };
}

const callerOf = (resolved: ResolvedCaller): Caller => ({
  kind: resolved.apiKeyId === '' ? 'user' : 'api_key',
  service: 'gateway',
  userId: resolved.userId,
  userName: resolved.userName,
  userEmail: resolved.userEmail,
  emailVerified: resolved.emailVerified,
  ...(resolved.organisationId !== '' && { organisationId: resolved.organisationId }),
  ...(resolved.level && { level: resolved.level }),
  ...(resolved.apiKeyId !== '' && { apiKeyId: resolved.apiKeyId }),
  scopes: resolved.scopes,
});
