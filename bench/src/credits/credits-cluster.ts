/** The billing service, and whoever reserves credits through it and without it. */
import { newUlid } from '@platform-backend/core';
import { join } from 'node:path';
import { startCallers, type Done } from '../caller-process.ts';
import { programOf, startCluster } from '../cluster.ts';
import { variants, type CpuTimes, type Variant } from '../compare-variants.ts';
import { familyCpu, processCpu } from '../process-cpu.ts';
import { openAccounts } from './accounts.ts';
import type { ReserveLoad } from './caller.ts';
import { SERVICE, type VariantParts } from './variants.ts';

/** Connections to PostgreSQL: as many as the service opens unless told otherwise, and the same for all. */
export const POOL = 20;

export interface CreditsCluster {
  readonly organisations: readonly string[];
  reserve(variant: Variant, load: ReserveLoad): Promise<Done>;
  forgetReservations(): Promise<void>;
  cpu(variant: Variant): CpuTimes;
  stop(): Promise<void>;
}

/** With `profiles`, the folder in which every process leaves a CPU profile. */
export async function startCreditsCluster(profiles: string | undefined): Promise<CreditsCluster> {
  const cluster = await startCluster({ services: ['billing', SERVICE], profiles });
  const organisations = Array.from({ length: 1_000 }, () => newUlid('org_'));
  const accounts = await openAccounts(programOf('billing'), organisations);
  cluster.atStop(() => accounts.drop());
  // Those of whoever does without the service, which therefore publishes only events of its own reservations.
  const bareAccounts = await openAccounts(programOf('billing'), organisations);
  cluster.atStop(() => bareAccounts.drop());

  // Asked for the policies of client groups, which have none.
  const identity = await cluster.startIdentityStub();
  const billing = await cluster.startService('billing', {
    BILLING_DATABASE_URL: accounts.url,
    BILLING_DATABASE_POOL: String(POOL),
    BILLING_PAYMENT_PROCESSOR: 'sandbox',
    IDENTITY_ADDRESS: identity.ready,
  });
  const options: VariantParts = {
    databaseUrl: bareAccounts.url,
    poolMax: POOL,
    billingAddress: billing.ready,
    privateKey: cluster.keys.privateKeys[SERVICE],
  };
  const program = join(import.meta.dirname, 'caller.ts');
  const callers = startCallers<Variant, ReserveLoad>(program, { variants, options, profiling: cluster.profiling });
  cluster.atStop(() => callers.stop());

  return {
    organisations,
    reserve: callers.work,
    async forgetReservations() {
      await accounts.forgetReservations();
      await bareAccounts.forgetReservations();
    },
    cpu: (variant) => ({
      caller: callers.cpu(variant),
      service: processCpu(billing.pid),
      database: familyCpu(accounts.postmaster),
    }),
    stop: cluster.stop,
  };
}
