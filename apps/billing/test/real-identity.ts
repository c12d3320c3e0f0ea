import { callerAssertions, type Caller, type PermissionLevel } from '@platform/auth';
import { loadContract } from '@platform/contract';
import type {
  AuthenticationServiceClient,
  ClientGroupServiceClient,
  MemberServiceClient,
  Organisation,
  OrganisationServiceClient,
} from '@platform/contract/identity';
import { newId } from '@platform/core';
import { createClient, type CallOptions, type Closable } from '@platform/grpc';
import { throwawayPostgres } from '@platform/testing';
import { migrateService, startService } from './service-process.ts';
import { keys } from './test-billing.ts';

export interface Founder {
  readonly caller: Caller;
  readonly organisation: Organisation;
}

/** The real identity service in a process of its own, with people and organisations in it. */
export type RealIdentity = Awaited<ReturnType<typeof startRealIdentity>>;

export async function startRealIdentity(natsUrl = 'nats://127.0.0.1:9') {
  const database = await throwawayPostgres();
  await migrateService('identity', database);
  const process = await startService('identity', {
    IDENTITY_DATABASE_URL: database.appUrl,
    IDENTITY_LISTEN: '127.0.0.1:0',
    NATS_URL: natsUrl,
    SERVICE_PRIVATE_KEY: JSON.stringify(keys.privateKeys.identity),
    SERVICE_PUBLIC_KEYS: JSON.stringify(keys.publicKeys),
  });
  const assertions = callerAssertions({ service: 'gateway', privateKey: keys.privateKeys.gateway });
  const opened: Closable[] = [];
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- only the caller knows the generated type
  const connect = <T extends object>(name: string): T => {
    const service = `platform.identity.v1.${name}`;
    const client = createClient<T>({
      contract: loadContract(),
      service,
      address: process.address,
      assertions,
      timeoutMs: 120_000,
      connectLimitMs: 60_000,
    });
    opened.push(client);
    return client;
  };
  const organisations = connect<OrganisationServiceClient<CallOptions>>('OrganisationService');
  const clientGroups = connect<ClientGroupServiceClient<CallOptions>>('ClientGroupService');
  const members = connect<MemberServiceClient<CallOptions>>('MemberService');
  const authentication = connect<AuthenticationServiceClient<CallOptions>>('AuthenticationService');

  const signIn = async (subject: string, organisationId = ''): Promise<Caller> => {
    const email = `${subject}@people.example`;
    const user = await authentication.resolveUser({
      issuer: 'https://id.test',
      subject,
      name: subject,
      email,
      emailVerified: true,
      organisationId,
    });
    return {
      kind: 'user',
      service: 'gateway',
      userId: user.userId,
      userName: user.userName,
      userEmail: email,
      emailVerified: true,
      ...(organisationId !== '' && { organisationId }),
      ...(user.level && { level: user.level }),
      scopes: [],
    };
  };

  return {
    process,
    organisations,
    clientGroups,
    /** A new organisation with its OWNER. */
    async found(): Promise<Founder> {
      const name = `p${newId()}`;
      const organisation = await organisations.createOrganisation(
        { email: 'a@company.example', name: 'Acme', imageUrl: '' },
        { caller: await signIn(name) },
      );
      return { organisation, caller: await signIn(name, organisation.id) };
    },
    /** Invites a new person, who has then only to accept. */
    async invite({ caller }: Founder, level: PermissionLevel = 'VIEWER'): Promise<() => Promise<unknown>> {
      const person = await signIn(`p${newId()}`);
      const invitation = await members.inviteMember(
        { email: person.userEmail ?? '', permissionLevel: level },
        { caller },
      );
      return () => members.acceptInvitation({ invitationId: invitation.id }, { caller: person });
    },
    async current({ caller }: Founder): Promise<Organisation> {
      return organisations.getCurrentOrganisation({}, { caller });
    },
    async stop() {
      for (const client of opened) client.close();
      await process.kill();
      await database.drop();
    },
  };
}
