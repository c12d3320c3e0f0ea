import type { Caller } from '@platform-backend/auth';
import { identityContract } from '@platform-backend/contract-identity';
import type {
  AuthenticationServiceClient,
  ClientGroupServiceClient,
  MemberServiceClient,
  Organisation,
  OrganisationServiceClient,
} from '@platform-backend/contract-identity';
import { newId, type PermissionLevel } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { callers, migrateService, startService } from '@platform-backend/service/testing';
import { preparedPostgres } from '@platform-backend/testing';
import { keys } from './test-billing.ts';

export interface Founder {
  readonly caller: Caller;
  readonly organisation: Organisation;
}

/** The real identity service in a process of its own, with people and organisations in it. */
export type RealIdentity = Awaited<ReturnType<typeof startRealIdentity>>;

export async function startRealIdentity(natsUrl = 'nats://127.0.0.1:9') {
  const database = await preparedPostgres('identity, by its command', (empty) => migrateService('identity', empty));
  const process = await startService('identity', {
    IDENTITY_DATABASE_URL: database.appUrl,
    IDENTITY_LISTEN: '127.0.0.1:0',
    NATS_URL: natsUrl,
    SERVICE_PUBLIC_KEYS: JSON.stringify(keys.publicKeys),
  });
  const gateway = callers({ of: identityContract, address: process.address, as: 'gateway', keys });
  const organisations = gateway.to<OrganisationServiceClient<CallOptions>>('OrganisationService');
  const clientGroups = gateway.to<ClientGroupServiceClient<CallOptions>>('ClientGroupService');
  const members = gateway.to<MemberServiceClient<CallOptions>>('MemberService');
  const authentication = gateway.to<AuthenticationServiceClient<CallOptions>>('AuthenticationService');

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
      gateway.close();
      await process.kill();
      await database.drop();
    },
  };
}
