/** `npm run bench -- debits`: debits per second that billing books, beside the same statement run directly through `pg`. */
import { newUlid } from '@platform-backend/core';
import { join } from 'node:path';
import { startCallers } from '../caller-process.ts';
import { programOf, startCluster } from '../cluster.ts';
import { openAccounts } from '../credits/accounts.ts';
import { median } from '../rounds.ts';
import { variants, type DebitLoad, type Variant, type VariantParts } from './caller.ts';

export interface DebitsBench {
  readonly rounds: number;
  readonly seconds: number;
  /** Debits in flight. */
  readonly connections: number;
  /** The folder in which every process leaves a CPU profile. */
  readonly profiles?: string | undefined;
}

/** Connections to PostgreSQL: as many as the service opens unless told otherwise, and the same for both. */
const POOL = 20;

/** Long enough for the compiler to have seen every path. */
const WARM_UP_SECONDS = 3;

/** How often it is looked how many are booked. */
const LOOK_MS = 20;

/** Measures, prints every round, and as the last line the medians as JSON. */
export async function benchDebits(
  { rounds, seconds, connections, profiles }: DebitsBench,
  print: (line: string) => void,
): Promise<void> {
  print('starting PostgreSQL, NATS, billing and its callers …');
  const cluster = await startCluster({ services: ['billing', 'pipelines'], profiles });
  try {
    const organisations = Array.from({ length: 1_000 }, () => newUlid('org_'));
    const accounts = await openAccounts(programOf('billing'), organisations);
    cluster.atStop(() => accounts.drop());
    const bareAccounts = await openAccounts(programOf('billing'), organisations);
    cluster.atStop(() => bareAccounts.drop());
    const identity = await cluster.startIdentityStub();
    await cluster.startService('billing', {
      BILLING_DATABASE_URL: accounts.url,
      BILLING_DATABASE_POOL: String(POOL),
      BILLING_PAYMENT_PROCESSOR: 'sandbox',
      IDENTITY_ADDRESS: identity.ready,
    });
    const options: VariantParts = { databaseUrl: bareAccounts.url, poolMax: POOL, natsUrl: cluster.nats.url };
    const program = join(import.meta.dirname, 'caller.ts');
    const callers = startCallers<Variant, DebitLoad>(program, { variants, options, profiling: cluster.profiling });
    cluster.atStop(() => callers.stop());

    /** Debits per second: those of the service until the last one of them is booked. */
    const run = async (variant: Variant, load: DebitLoad): Promise<number> => {
      await accounts.forgetReservations();
      await bareAccounts.forgetReservations();
      const startedAt = performance.now();
      const { done, seconds: took } = await callers.work(variant, load);
      if (variant === 'direct') return done / took;
      while ((await accounts.debits()) < done) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      return (done * 1000) / (performance.now() - startedAt);
    };

    print('warming up …');
    for (const variant of variants) await run(variant, { organisations, seconds: WARM_UP_SECONDS, connections });
    print(`${rounds} rounds of ${seconds} s per variant with ${connections} debits in flight, per second`);
    const results: Record<string, Record<string, number>> = {};
    const scenarios = { one_account: organisations.slice(0, 1), thousand_accounts: organisations };
    for (const [name, among] of Object.entries(scenarios)) {
      const measured: Record<Variant, number[]> = { direct: [], events: [] };
      for (let round = 0; round < rounds; round += 1) {
        // Who runs first changes, so that drift of the machine cancels out.
        for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
          const perSecond = await run(variant, { organisations: among, seconds, connections });
          measured[variant].push(perSecond);
          print(`${name.padEnd(19)}${variant.padEnd(10)}${perSecond.toFixed(0).padStart(8)}`);
        }
      }
      const ratios = measured.events.map((perSecond, round) => perSecond / (measured.direct[round] ?? NaN));
      results[name] = {
        direct_per_second: Math.round(median(measured.direct)),
        events_per_second: Math.round(median(measured.events)),
        events_to_direct: Number(median(ratios).toFixed(3)),
      };
    }
    print(JSON.stringify(results));
  } finally {
    await cluster.stop();
  }
}
