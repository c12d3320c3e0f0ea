/** What a service does per second, beside the same statement run directly through `pg`. */
import type { Done } from './caller-process.ts';
import { median } from './rounds.ts';
import { tableRow } from './table-row.ts';

/**
 * - `direct`: what one writes with `pg`, each statement awaited.
 * - `pipelined`: the same sent together and answered together.
 * - `grpc`: the operation of the service.
 */
export const variants = ['direct', 'pipelined', 'grpc'] as const;
export type Variant = (typeof variants)[number];

/** CPU time so far, in microseconds. */
export interface CpuTimes {
  readonly caller: number;
  readonly service: number;
  readonly database: number;
}

export interface Compared {
  readonly rounds: number;
  readonly work: (variant: Variant) => Promise<Done>;
  readonly cpu: (variant: Variant) => CpuTimes;
  readonly print: (line: string) => void;
}

/** What one run of one variant showed. */
interface Run {
  readonly perSecond: number;
  /** Microseconds of CPU for each thing done. */
  readonly callerCpu: number;
  readonly serviceCpu: number;
  readonly databaseCpu: number;
}

export const printHeadings = (print: (line: string) => void): void =>
  print(row(['', '', 'per second', 'caller CPU', 'service CPU', 'database CPU', 'all']));

/** Measures the variants in turn, prints every round, and answers the medians. */
export async function compareVariants(
  name: string,
  { rounds, work, cpu, print }: Compared,
): Promise<Record<string, number>> {
  const measured: Record<Variant, Run[]> = { direct: [], pipelined: [], grpc: [] };
  for (let round = 0; round < rounds; round += 1) {
    // Who runs first changes, so that drift of the machine cancels out.
    for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
      const before = cpu(variant);
      const { done, seconds } = await work(variant);
      const after = cpu(variant);
      const run = {
        perSecond: done / seconds,
        callerCpu: (after.caller - before.caller) / done,
        serviceCpu: (after.service - before.service) / done,
        databaseCpu: (after.database - before.database) / done,
      };
      measured[variant].push(run);
      print(row([name, variant, ...numbers(run)]));
    }
  }
  return summary(measured);
}

const allCpu = ({ callerCpu, serviceCpu, databaseCpu }: Run): number => callerCpu + serviceCpu + databaseCpu;

const numbers = (run: Run): string[] =>
  [run.perSecond, run.callerCpu, run.serviceCpu, run.databaseCpu, allCpu(run)].map((each) => each.toFixed(0));

const row = tableRow({ left: [19], right: 13 });

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
