import { loadavg } from 'node:os';
import { median } from '../rounds.ts';
import { tableRow } from '../table-row.ts';
import { CHAIN_VARIANTS, prepareChain, type ChainRun, type ChainVariant } from './chain.ts';
import { startPipelinesCluster } from './pipelines-cluster.ts';

type Round = Record<ChainVariant, ChainRun>;

/** Measures in every round all three ways, of which each is first in turn; prints them, and answers the medians. */
export async function benchChain(
  { rounds, profiles }: { readonly rounds: number; readonly profiles?: string | undefined },
  print: (line: string) => void,
): Promise<Record<string, number>> {
  print('starting PostgreSQL, NATS, pipelines and the gateway for nine steps …');
  const cluster = await startPipelinesCluster(profiles);
  try {
    const inWay = await prepareChain(cluster);
    for (const variant of CHAIN_VARIANTS) await inWay(variant);
    print(
      row(['nine steps', ...CHAIN_VARIANTS.flatMap((variant) => [`${variant}: s`, 'CPU s']), 'ratio', 'CPU', 'load']),
    );
    const measured: Round[] = [];
    for (let count = 0; count < rounds; count += 1) {
      const done = new Map<ChainVariant, ChainRun>();
      const first = count % CHAIN_VARIANTS.length;
      for (const variant of [...CHAIN_VARIANTS.slice(first), ...CHAIN_VARIANTS.slice(0, first)])
        done.set(variant, await inWay(variant));
      const round = Object.fromEntries(done) as Round;
      measured.push(round);
      const all = CHAIN_VARIANTS.flatMap((variant) => [round[variant].seconds, round[variant].cpu]);
      const { seconds, cpu } = ratio(round, 'tables');
      const [load = NaN] = loadavg();
      print(row(['', ...[...all, seconds, cpu].map((value) => value.toFixed(2)), load.toFixed(1)]));
    }
    for (const { name, query, whole } of measured.at(-1)?.run.steps ?? [])
      print(row([`  ${name}`, 'query', query.toFixed(2), 'whole', whole.toFixed(2)]));
    return summary(measured);
  } finally {
    await cluster.stop();
  }
}

/** Of the platform to DuckDB. */
const ratio = ({ run, ...direct }: Round, variant: keyof typeof direct) => ({
  seconds: run.seconds / direct[variant].seconds,
  cpu: run.cpu / direct[variant].cpu,
});

function summary(rounds: readonly Round[]): Record<string, number> {
  const middle = (of: (round: Round) => number): number => Number(median(rounds.map(of)).toFixed(2));
  return {
    tables_seconds: middle(({ tables }) => tables.seconds),
    files_seconds: middle(({ files }) => files.seconds),
    run_seconds: middle(({ run }) => run.seconds),
    tables_cpu: middle(({ tables }) => tables.cpu),
    files_cpu: middle(({ files }) => files.cpu),
    run_cpu: middle(({ run }) => run.cpu),
    run_to_tables: middle((round) => ratio(round, 'tables').seconds),
    run_to_files: middle((round) => ratio(round, 'files').seconds),
    run_to_tables_cpu: middle((round) => ratio(round, 'tables').cpu),
    run_to_files_cpu: middle((round) => ratio(round, 'files').cpu),
  };
}

const row = tableRow({ left: [14], right: 11 });
