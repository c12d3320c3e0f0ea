/** `npm run bench -- credits`: reservations per second of the service, beside the same statement run directly through `pg`. */
import { median } from '../rounds.ts';
import type { ReserveLoad } from './caller.ts';
import { POOL, startCreditsCluster, type CreditsCluster } from './credits-cluster.ts';
import { variants, type Variant } from './variants.ts';

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

/** What one run of one variant showed. */
interface Run {
  readonly perSecond: number;
  /** Microseconds of CPU per reservation. */
  readonly callerCpu: number;
  readonly serviceCpu: number;
  readonly databaseCpu: number;
}

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
    for (const variant of variants)
      await run(cluster, variant, { organisations, seconds: WARM_UP_SECONDS, connections });

    print(
      `${rounds} rounds of ${seconds} s per variant with ${connections} reservations in flight and ${POOL} connections to ` +
        'PostgreSQL; CPU is µs per reservation',
    );
    print(row(['', '', 'per second', 'caller CPU', 'service CPU', 'database CPU', 'all']));
    const results: Record<string, Record<string, number>> = {};
    for (const [name, accounts] of Object.entries(scenarios)) {
      const measured: Record<Variant, Run[]> = { direct: [], pipelined: [], grpc: [] };
      for (let round = 0; round < rounds; round += 1) {
        // Who runs first changes, so that drift of the machine cancels out.
        for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
          const done = await run(cluster, variant, { organisations: accounts, seconds, connections });
          measured[variant].push(done);
          print(row([name, variant, ...numbers(done)]));
        }
      }
      results[name] = summary(measured);
    }
    print(JSON.stringify(results));
  } finally {
    await cluster.stop();
  }
}

async function run(cluster: CreditsCluster, variant: Variant, load: ReserveLoad): Promise<Run> {
  await cluster.forgetReservations();
  const before = cluster.cpu(variant);
  const { done, seconds } = await cluster.reserve(variant, load);
  const after = cluster.cpu(variant);
  return {
    perSecond: done / seconds,
    callerCpu: (after.caller - before.caller) / done,
    serviceCpu: (after.service - before.service) / done,
    databaseCpu: (after.database - before.database) / done,
  };
}

const allCpu = ({ callerCpu, serviceCpu, databaseCpu }: Run): number => callerCpu + serviceCpu + databaseCpu;

const numbers = (run: Run): string[] =>
  [run.perSecond, run.callerCpu, run.serviceCpu, run.databaseCpu, allCpu(run)].map((each) => each.toFixed(0));

const row = (cells: readonly string[]): string =>
  cells.map((cell, column) => (column === 0 ? cell.padEnd(19) : cell.padStart(13))).join('');

/** Medians; of the ratios too, each of which compares two runs made within seconds of each other. */
function summary(measured: Readonly<Record<Variant, readonly Run[]>>): Record<string, number> {
  const of = (variant: Variant, value: (run: Run) => number) => Math.round(median(measured[variant].map(value)));
  const ratioTo = (variant: Variant) => {
    const ratios = measured.grpc.map(
      ({ perSecond }, round) => perSecond / (measured[variant][round]?.perSecond ?? NaN),
    );
    return Number(median(ratios).toFixed(3));
  };
  return {
    direct_per_second: of('direct', ({ perSecond }) => perSecond),
    pipelined_per_second: of('pipelined', ({ perSecond }) => perSecond),
    grpc_per_second: of('grpc', ({ perSecond }) => perSecond),
    grpc_to_direct: ratioTo('direct'),
    grpc_to_pipelined: ratioTo('pipelined'),
    direct_cpu_micros: of('direct', allCpu),
    pipelined_cpu_micros: of('pipelined', allCpu),
    grpc_cpu_micros: of('grpc', allCpu),
    service_cpu_micros: of('grpc', ({ serviceCpu }) => serviceCpu),
  };
}
