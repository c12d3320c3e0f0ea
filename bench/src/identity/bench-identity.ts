/** `npm run bench -- identity`: a client group read, and made, by the service, beside the same statements through `pg`. */
import { callerAssertions, callerFields, type Caller } from '@platform-backend/auth';
import { loadContract } from '@platform-backend/contract';
import {
  identityContract,
  type AuthenticationServiceClient,
  type ClientGroupServiceClient,
  type OrganisationServiceClient,
} from '@platform-backend/contract-identity';
import { createClient, GATEWAY, type CallOptions, type ClientOptions } from '@platform-backend/grpc';
import { throwawayPostgres } from '@platform-backend/testing';
import { join } from 'node:path';
import pg from 'pg';
import { startCallers } from '../caller-process.ts';
import { programOf, startCluster } from '../cluster.ts';
import { compareVariants, printHeadings, variants, type Variant } from '../compare-variants.ts';
import { migrateService } from '../migrate-service.ts';
import { familyCpu, parentOf, processCpu } from '../process-cpu.ts';
import type { GroupLoad, VariantParts } from './caller.ts';

export interface IdentityBench {
  readonly rounds: number;
  readonly seconds: number;
  /** Calls in flight. */
  readonly connections: number;
  /** The folder in which every process leaves a CPU profile. */
  readonly profiles?: string | undefined;
}

/** Connections to PostgreSQL: as many as the service opens for one organisation when told so, and the same for all. */
const POOL = 20;

/** Long enough for the compiler to have seen every path. */
const WARM_UP_SECONDS = 3;

const TASKS = ['get', 'post'] as const;

/** Measures, prints every round, and as the last line the medians as JSON. */
export async function benchIdentity(
  { rounds, seconds, connections, profiles }: IdentityBench,
  print: (line: string) => void,
): Promise<void> {
  print('starting PostgreSQL, NATS, identity and its callers …');
  const cluster = await startCluster({ services: [GATEWAY, 'identity'], profiles });
  try {
    const database = await throwawayPostgres();
    cluster.atStop(() => database.drop());
    await migrateService(programOf('identity'), database);
    const identity = await cluster.startService('identity', {
      IDENTITY_DATABASE_URL: database.appUrl,
      IDENTITY_DATABASE_POOL: String(POOL),
      IDENTITY_DATABASE_MAX_PER_ORGANISATION: String(POOL),
    });
    const privateKey = cluster.keys.privateKeys[GATEWAY];
    const options: VariantParts = {
      databaseUrl: database.appUrl,
      poolMax: POOL,
      identityAddress: identity.ready,
      privateKey,
      ...(await foundOrganisation(identity.ready, privateKey)),
    };
    const program = join(import.meta.dirname, 'caller.ts');
    const callers = startCallers<Variant, GroupLoad>(program, { variants, options, profiling: cluster.profiling });
    cluster.atStop(() => callers.stop());
    const postmaster = await postmasterOf(database.superuserUrl);

    print('warming up …');
    for (const task of TASKS) {
      for (const variant of variants) await callers.work(variant, { task, seconds: WARM_UP_SECONDS, connections });
    }
    print(
      `${rounds} rounds of ${seconds} s per variant with ${connections} calls in flight and ${POOL} connections to ` +
        'PostgreSQL; CPU is µs per call',
    );
    printHeadings(print);
    const results: Record<string, Record<string, number>> = {};
    for (const task of TASKS) {
      results[task] = await compareVariants(task, {
        rounds,
        work: (variant) => callers.work(variant, { task, seconds, connections }),
        cpu: (variant) => ({
          caller: callers.cpu(variant),
          service: processCpu(identity.pid),
          database: familyCpu(postmaster),
        }),
        print,
      });
    }
    print(JSON.stringify(results));
  } finally {
    await cluster.stop();
  }
}

/** Somebody with an organisation, and a group in it as there are many: a few members and a workspace. */
async function foundOrganisation(
  address: string,
  privateKey: VariantParts['privateKey'],
): Promise<Pick<VariantParts, 'caller' | 'groupId'>> {
  const contract = loadContract(identityContract);
  const assertions = callerAssertions({ service: GATEWAY, privateKey });
  const optionsOf = (service: string): ClientOptions => ({
    contract,
    service: `platform.identity.v1.${service}`,
    address,
    assertions,
  });
  const authentication = createClient<AuthenticationServiceClient<CallOptions>>(optionsOf('AuthenticationService'));
  const organisations = createClient<OrganisationServiceClient<CallOptions>>(optionsOf('OrganisationService'));
  const groups = createClient<ClientGroupServiceClient<CallOptions>>(optionsOf('ClientGroupService'));
  const ada = async (): Promise<Caller> => {
    const identified = { issuer: 'https://id.example', subject: 'ada', name: 'Ada', email: 'ada@example.com' };
    const resolved = await authentication.resolveUser({ ...identified, emailVerified: true });
    return { kind: 'user', service: GATEWAY, ...callerFields(resolved), scopes: [] };
  };
  const company = { email: 'office@example.com', name: 'Example', imageUrl: '' };
  await organisations.createOrganisation(company, { caller: await ada() });
  const caller = await ada();
  const { id: groupId } = await groups.createClientGroup({ name: 'Northern region', description: '' }, { caller });
  for (const number of [1, 2, 3]) {
    const email = `client${number}@example.com`;
    await groups.addClientMember({ groupId, name: `Client ${number}`, email }, { caller });
  }
  await groups.addClientWorkspace({ groupId, name: 'Sales', description: 'Sales figures' }, { caller });
  for (const client of [authentication, organisations, groups]) client.close();
  return { caller, groupId };
}

/** The PostgreSQL server's first process, whose children serve the connections. */
async function postmasterOf(superuserUrl: string): Promise<number> {
  const superuser = new pg.Client({ connectionString: superuserUrl });
  await superuser.connect();
  const { rows } = await superuser.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const postmaster = parentOf(rows[0]?.pid ?? 0);
  await superuser.end();
  return postmaster;
}
