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
import { SERVICE, variants, type Variant, type VariantParts } from './variants.ts';

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

export interface CreditsCluster {
  readonly organisations: readonly string[];
  /** Reserves from a process that does nothing else. */
  reserve(variant: Variant, load: Load): Promise<{ reserved: number; seconds: number }>;
  forgetReservations(): Promise<void>;
  cpu(variant: Variant): CpuTimes;
  stop(): Promise<void>;
}

/** With `profiles`, the folder in which every process leaves a CPU profile. */
export async function startCreditsCluster(profiles: string | undefined): Promise<CreditsCluster> {
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
  const parts: VariantParts = {
    databaseUrl: bareAccounts.url,
    poolMax: POOL,
    billingAddress: billing.ready,
    privateKey: privateKeys[SERVICE],
  };
  const callers = new Map(
    variants.map((variant) => {
      const options: CallerOptions = { ...parts, variant };
      return [variant, startCaller(CALLER, options, profiling)];
    }),
  );

  return {
    organisations,
    async reserve(variant, load) {
      const caller = callerOf(callers, variant);
      caller.send(load);
      const [outcome] = (await once(caller, 'message')) as [Outcome];
      if ('failure' in outcome) throw new Error(`${variant}: ${outcome.failure}`);
      return outcome;
    },
    async forgetReservations() {
      await accounts.forgetReservations();
      await bareAccounts.forgetReservations();
    },
    cpu: (variant) => ({
      caller: processCpu(callerOf(callers, variant).pid ?? 0),
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

function callerOf(callers: ReadonlyMap<Variant, ChildProcess>, variant: Variant): ChildProcess {
  const caller = callers.get(variant);
  if (!caller) throw new Error(`nobody calls in the variant "${variant}"`);
  return caller;
}
