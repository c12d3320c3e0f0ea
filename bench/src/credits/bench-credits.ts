/** `npm run bench -- credits`: reservations per second of the service, beside the same statement run directly through `pg`. */
import { compareVariants, printHeadings, variants, type Variant } from '../compare-variants.ts';
import type { ReserveLoad } from './caller.ts';
import { POOL, startCreditsCluster } from './credits-cluster.ts';

export interface CreditsBench {
  readonly rounds: number;
  readonly seconds: number;
  /** Reservations in flight. */
  readonly connections: number;
  /** The folder in which every process leaves a CPU profile. */
  readonly profiles?: string | undefined;
}

/** Long enough for the compiler to have seen every path. */
const WARM_UP_SECONDS = 3;

/** Measures, prints every round, and as the last line the medians as JSON. */
export async function benchCredits(
  { rounds, seconds, connections, profiles }: CreditsBench,
  print: (line: string) => void,
): Promise<void> {
  print('starting PostgreSQL, billing and its callers …');
  const cluster = await startCreditsCluster(profiles);
  try {
    const { organisations } = cluster;
    const scenarios = { one_account: organisations.slice(0, 1), thousand_accounts: organisations };
    print('warming up …');
    const reserve = async (variant: Variant, load: ReserveLoad) => {
      await cluster.forgetReservations();
      return cluster.reserve(variant, load);
    };
    for (const variant of variants) await reserve(variant, { organisations, seconds: WARM_UP_SECONDS, connections });

    print(
      `${rounds} rounds of ${seconds} s per variant with ${connections} reservations in flight and ${POOL} connections to ` +
        'PostgreSQL; CPU is µs per reservation',
    );
    printHeadings(print);
    const results: Record<string, Record<string, number>> = {};
    for (const [name, accounts] of Object.entries(scenarios)) {
      const load = { organisations: accounts, seconds, connections };
      results[name] = await compareVariants(name, {
        rounds,
        work: (variant) => reserve(variant, load),
        cpu: (variant) => cluster.cpu(variant),
        print,
      });
    }
    print(JSON.stringify(results));
  } finally {
    await cluster.stop();
  }
}
