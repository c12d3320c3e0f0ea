import { apiKeyHash, callerAssertions, generateServiceKeys, type Caller, type PermissionLevel } from '@platform/auth';
import { loadContract } from '@platform/contract';
import type {
  ApiKeyServiceClient,
  AuditServiceClient,
  AuthenticationServiceClient,
  ClientGroupServiceClient,
  MemberServiceClient,
  Organisation,
  OrganisationServiceClient,
  ResolvedCaller,
} from '@platform/contract/identity';
import { createLogger, DomainError, systemClock, type Clock, type RunningService } from '@platform/core';
import { createClient, type CallOptions, type Closable } from '@platform/grpc';
import { throwawayPostgres } from '@platform/testing';
import { startIdentity } from '../src/compose.ts';
import { readConfig } from '../src/config.ts';
import { migrateIdentity } from '../src/migrate-identity.ts';

export interface TestIdentityOptions {
  readonly clock?: Clock;
  /** Without one, events stay in the outbox, where tests can see them. */
  readonly natsUrl?: string;
  readonly keyUseFlushSeconds?: number;
  /** Further settings. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs the service in a process of its own, say. */
  readonly run?: (environment: Readonly<Record<string, string>>) => Promise<RunningService>;
}

/** A person who founded an organisation. */
export interface Founder {
  readonly caller: Caller;
  readonly organisation: Organisation;
}

/** The whole service on a database of its own, with a client of each of its services and people to call it. */
export type TestIdentity = Awaited<ReturnType<typeof startTestIdentity>>;

const services = ['gateway', 'billing', 'content'] as const;
type ServiceName = (typeof services)[number];
const keys = await generateServiceKeys(services);
const nobodyListens = 'nats://127.0.0.1:9';

export async function startTestIdentity(options: TestIdentityOptions = {}) {
  const { clock = systemClock, natsUrl = nobodyListens, keyUseFlushSeconds = 3600 } = options;
  const database = await throwawayPostgres();
  const logger = createLogger({ service: 'identity', level: 'silent' });
  await migrateIdentity({ migrationUrl: database.ownerUrl, databaseUrl: database.appUrl, logger });
  const environment = {
    IDENTITY_DATABASE_URL: database.appUrl,
    IDENTITY_LISTEN: '127.0.0.1:0',
    NATS_URL: natsUrl,
    IDENTITY_KEY_USE_FLUSH_SECONDS: String(keyUseFlushSeconds),
    SERVICE_PUBLIC_KEYS: JSON.stringify(keys.publicKeys),
    // A busy machine is no reason to refuse anything.
    IDENTITY_DATABASE_WAIT_MS: '120000',
    IDENTITY_LOCK_TIMEOUT_MS: '60000',
    ...options.environment,
  };
  const runHere = () => startIdentity({ config: readConfig(environment), logger, clock });
  const running = await (options.run ?? runHere)(environment);
  const clients = clientsOf(running.address, 'gateway', clock);
  const billing = clientsOf(running.address, 'billing', clock);

  return {
    ...clients,
    /** The same service, as billing calls it. */
    billing,
    /** As services other than gateway and billing call it. */
    asService: (service: ServiceName) => clientsOf(running.address, service, clock),
    database,
    ...peopleOf(clients),
    /** The client of a service by its name, for tests that go through all operations. */
    clientOf: (service: string): object => {
      const client = {
        OrganisationService: clients.organisations,
        MemberService: clients.members,
        ClientGroupService: clients.clientGroups,
        ApiKeyService: clients.apiKeys,
        AuditService: clients.audit,
        AuthenticationService: clients.authentication,
      }[service];
      if (!client) throw new Error(`identity has no ${service}`);
      return client;
    },
    stop: async () => {
      clients.close();
      billing.close();
      await running.stop();
      await database.drop();
    },
  };
}

type Clients = ReturnType<typeof clientsOf>;

function clientsOf(address: string, service: ServiceName, clock: Clock) {
  const assertions = callerAssertions({
    service,
    privateKey: keys.privateKeys[service],
    clock,
  });
  const opened: Closable[] = [];
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- only the caller knows the generated type
  const connect = <T extends object>(name: string): T => {
    const client = createClient<T>({
      contract: loadContract(),
      service: `platform.identity.v1.${name}`,
      address,
      assertions,
      // A busy machine is no reason to refuse anything.
      timeoutMs: 120_000,
      connectLimitMs: 60_000,
    });
    opened.push(client);
    return client;
  };
  return {
    organisations: connect<OrganisationServiceClient<CallOptions>>('OrganisationService'),
    members: connect<MemberServiceClient<CallOptions>>('MemberService'),
    clientGroups: connect<ClientGroupServiceClient<CallOptions>>('ClientGroupService'),
    apiKeys: connect<ApiKeyServiceClient<CallOptions>>('ApiKeyService'),
    audit: connect<AuditServiceClient<CallOptions>>('AuditService'),
    authentication: connect<AuthenticationServiceClient<CallOptions>>('AuthenticationService'),
    close: () => {
      for (const client of opened) client.close();
    },
  };
}

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

/** How a call was refused, in everything a caller can see of it; fails when it was not. */
export async function refusalOf(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { kind, code, message, violations } = error;
    return { kind, code, message, ...(violations && { violations }) };
  }
  throw new Error('it was not refused');
}
