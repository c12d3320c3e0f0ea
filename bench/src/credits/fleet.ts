/** Starts everything that the comparison of reservations needs, with nothing kept afterwards. */
import { generateServiceKeys } from '@platform/auth';
import { newUlid } from '@platform/core';
import { supervise } from '@platform/embedded';
import { throwawayPostgres } from '@platform/testing';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { familyCpu, parentOf, processCpu } from '../process-cpu.ts';
import type { CallerOptions, Load, Outcome } from './caller.ts';
import { SERVICE, ways, type Way, type WayParts } from './ways.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Connections to PostgreSQL: as many as the service opens unless told otherwise, and the same for all. */
export const POOL = 20;

/** CPU time so far, in microseconds. */
export interface CpuTimes {
  readonly caller: number;
  readonly service: number;
  readonly database: number;
}

export interface CreditsFleet {
  /** With more credits than any run can reserve. */
  readonly organisations: readonly string[];
  /** Reserves from a process that does nothing else. */
  reserve(way: Way, load: Load): Promise<{ reserved: number; seconds: number }>;
  /** Forgets all reservations, so that no run finds larger tables than another and none expires within one. */
  forgetReservations(): Promise<void>;
  cpu(way: Way): CpuTimes;
  stop(): Promise<void>;
}

/** With `profiles`, the folder in which every process leaves a CPU profile. */
export async function startCreditsFleet(profiles: string | undefined): Promise<CreditsFleet> {
  const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const directory = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  const database = await throwawayPostgres();
  const { privateKeys, publicKeys } = await generateServiceKeys(['billing', SERVICE]);
  const start = (name: string, args: readonly string[], environment: Record<string, string>) =>
    supervise({
      name,
      command: process.execPath,
      args,
      cwd: ROOT,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...environment },
      logFile: join(directory, `${name}.log`),
      stopSignal: 'SIGTERM',
      ready: addressOfReadyLine,
    });
  // Asked for the policies of client groups, which it has not.
  const identity = await start('identity', [join(ROOT, 'bench/src/stub/main.ts')], {});
  const billing = await start('billing', [...profiling, join(ROOT, 'apps/billing/src/main.ts')], {
    BILLING_LISTEN: '127.0.0.1:0',
    BILLING_DATABASE_URL: database.appUrl,
    BILLING_MIGRATION_URL: database.ownerUrl,
    BILLING_DATABASE_POOL: String(POOL),
    // Events stay in the outbox: the statement run directly has nobody to publish them either.
    NATS_URL: 'nats://127.0.0.1:9',
    SERVICE_PRIVATE_KEY: JSON.stringify(privateKeys.billing),
    IDENTITY_ADDRESS: identity.ready,
    SERVICE_PUBLIC_KEYS: JSON.stringify(publicKeys),
  });

  const superuser = await connectSuperuser(database);
  const organisations = Array.from({ length: 1_000 }, () => newUlid('org_'));
  await fillAccounts(superuser, organisations);
  const postmaster = await postmasterOf(superuser);
  const parts: WayParts = {
    databaseUrl: database.appUrl,
    poolMax: POOL,
    billingAddress: billing.ready,
    privateKey: privateKeys[SERVICE],
  };
  const callers = Object.fromEntries(ways.map((way) => [way, startCaller({ ...parts, way }, profiling)])) as Record<
    Way,
    ChildProcess
  >;
  const pidOf = (way: Way): number => callers[way].pid ?? 0;

  return {
    organisations,
    async reserve(way, load) {
      callers[way].send(load);
      const [outcome] = (await once(callers[way], 'message')) as [Outcome];
      if ('failure' in outcome) throw new Error(`${way}: ${outcome.failure}`);
      return outcome;
    },
    async forgetReservations() {
      await superuser.query('TRUNCATE outbox, credit_reservations, ledger_transactions, ledger_entries');
    },
    cpu: (way) => ({
      caller: processCpu(pidOf(way)),
      service: processCpu(billing.pid),
      database: familyCpu(postmaster),
    }),
    async stop() {
      await Promise.all(Object.values(callers).map(endCaller));
      await billing.stop();
      await identity.stop();
      await superuser.end();
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function startCaller(options: CallerOptions, profiling: readonly string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, 'caller.ts'), { execArgv: [...profiling] });
  child.once('exit', (code) => {
    if (code !== 0) throw new Error(`the caller of the way "${options.way}" ended with ${String(code)}`);
  });
  child.send(options);
  return child;
}

async function endCaller(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

interface Urls {
  readonly superuserUrl: string;
  readonly appUrl: string;
}

async function connectSuperuser({ superuserUrl, appUrl }: Urls): Promise<pg.Client> {
  const url = new URL(superuserUrl);
  url.pathname = new URL(appUrl).pathname;
  const superuser = new pg.Client({ connectionString: url.href });
  await superuser.connect();
  return superuser;
}

async function fillAccounts(superuser: pg.Client, organisations: readonly string[]): Promise<void> {
  await superuser.query(
    `INSERT INTO credit_accounts (organisation_id, available_micros, reserved_micros, undrawn_micros, expiry_held,
       version, created_at)
     SELECT id, 1000000000000, 0, 0, false, 0, now() FROM unnest($1::text[]) AS id`,
    [organisations],
  );
}

/** The server's first process, whose children serve the connections. */
async function postmasterOf(superuser: pg.Client): Promise<number> {
  const { rows } = await superuser.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return parentOf(rows[0]?.pid ?? 0);
}

function addressOfReadyLine(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const said = JSON.parse(line) as { ready?: boolean; address?: string };
  return said.ready === true ? said.address : undefined;
}
