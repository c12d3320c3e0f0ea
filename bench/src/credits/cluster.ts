/** Starts everything that the comparison of reservations needs, with nothing kept afterwards. */
import { generateServiceKeys } from '@platform-backend/auth';
import { newUlid } from '@platform-backend/core';
import { setUpStreams } from '@platform-backend/events/set-up';
import { throwawayNats } from '@platform-backend/testing';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endCaller, startCaller } from '../caller-process.ts';
import { familyCpu, processCpu } from '../process-cpu.ts';
import { processStarter } from '../start-process.ts';
import { openAccounts } from './accounts.ts';
import type { CallerOptions, Load, Outcome } from './caller.ts';
import { SERVICE, ways, type Way, type WayParts } from './ways.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BILLING = join(ROOT, 'apps/billing/src/main.ts');
const CALLER = join(import.meta.dirname, 'caller.ts');
/** Connections to PostgreSQL: as many as the service opens unless told otherwise, and the same for all. */
export const POOL = 20;

/** CPU time so far, in microseconds. */
export interface CpuTimes {
  readonly caller: number;
  readonly service: number;
  readonly database: number;
}

export interface CreditsFleet {
  readonly organisations: readonly string[];
  /** Reserves from a process that does nothing else. */
  reserve(way: Way, load: Load): Promise<{ reserved: number; seconds: number }>;
  forgetReservations(): Promise<void>;
  cpu(way: Way): CpuTimes;
  stop(): Promise<void>;
}

/** With `profiles`, the folder in which every process leaves a CPU profile. */
export async function startCreditsFleet(profiles: string | undefined): Promise<CreditsFleet> {
  const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const directory = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  const organisations = Array.from({ length: 1_000 }, () => newUlid('org_'));
  const accounts = await openAccounts(BILLING, organisations);
  // Those of whoever does without the service, which therefore publishes only events of its own reservations.
  const bareAccounts = await openAccounts(BILLING, organisations);
  const nats = await throwawayNats();
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(20_000) });
  const { privateKeys, publicKeys } = await generateServiceKeys(['billing', SERVICE]);

  const start = processStarter(directory);
  // Asked for the policies of client groups, which have none.
  const identity = await start('identity', [join(ROOT, 'bench/src/stub/main.ts')], {});
  const billing = await start('billing', [...profiling, BILLING], {
    BILLING_LISTEN: '127.0.0.1:0',
    BILLING_DATABASE_URL: accounts.url,
    BILLING_DATABASE_POOL: String(POOL),
    BILLING_PAYMENT_PROCESSOR: 'sandbox',
    IDENTITY_ADDRESS: identity.ready,
    NATS_URL: nats.url,
    SERVICE_PRIVATE_KEY: JSON.stringify(privateKeys.billing),
    SERVICE_PUBLIC_KEYS: JSON.stringify(publicKeys),
  });
  const parts: WayParts = {
    databaseUrl: bareAccounts.url,
    poolMax: POOL,
    billingAddress: billing.ready,
    privateKey: privateKeys[SERVICE],
  };
  const callers = new Map(
    ways.map((way) => {
      const options: CallerOptions = { ...parts, way };
      return [way, startCaller(CALLER, options, profiling)];
    }),
  );

  return {
    organisations,
    async reserve(way, load) {
      const caller = callerOf(callers, way);
      caller.send(load);
      const [outcome] = (await once(caller, 'message')) as [Outcome];
      if ('failure' in outcome) throw new Error(`${way}: ${outcome.failure}`);
      return outcome;
    },
    async forgetReservations() {
      await accounts.forgetReservations();
      await bareAccounts.forgetReservations();
    },
    cpu: (way) => ({
      caller: processCpu(callerOf(callers, way).pid ?? 0),
      service: processCpu(billing.pid),
      database: familyCpu(accounts.postmaster),
    }),
    async stop() {
      await Promise.all([...callers.values()].map(endCaller));
      await billing.stop();
      await identity.stop();
      await nats.drop();
      await accounts.drop();
      await bareAccounts.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function callerOf(callers: ReadonlyMap<Way, ChildProcess>, way: Way): ChildProcess {
  const caller = callers.get(way);
  if (!caller) throw new Error(`nobody calls in the way "${way}"`);
  return caller;
}
