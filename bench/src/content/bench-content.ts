/** `npm run bench -- content`: reads and turns of the service beside the same through MongoDB's driver, and uploads. */
import { median } from '../rounds.ts';
import { tableRow } from '../table-row.ts';
import type { TaskLoad } from './caller.ts';
import { POOL, startContentCluster, type ContentCluster } from './content-cluster.ts';
import { tasks, variants, type Task, type Variant } from './variants.ts';

export interface ContentBench {
  readonly rounds: number;
  readonly seconds: number;
  /** How many reads are under way at once; turns are half as many. */
  readonly connections: number;
  /** How many messages there are. */
  readonly messages: number;
  readonly profiles?: string | undefined;
}

const WARM_UP_SECONDS = 3;
/** An organisation may have 16 turns under way in one replica, and each of them reads and writes several times. */
const MAX_TURNS = 4;

interface Run {
  readonly perSecond: number;
  /** Microseconds for each, of all processes but the database. */
  readonly cpu: number;
}

/** Measures, prints every round, and as the last line the medians as JSON. */
export async function benchContent(
  { rounds, seconds, messages, profiles, ...bench }: ContentBench,
  print: (line: string) => void,
): Promise<void> {
  print(`starting MongoDB, content and its callers, and making ${String(messages)} messages …`);
  const cluster = await startContentCluster({ messages, profiles });
  try {
    const loadOf = (task: Task, forSeconds: number): TaskLoad => ({
      task,
      seconds: forSeconds,
      connections: task === 'turn' ? Math.min(bench.connections, MAX_TURNS) : bench.connections,
    });
    print('warming up …');
    for (const task of tasks)
      for (const variant of variants) await run(cluster, variant, loadOf(task, WARM_UP_SECONDS));
    print(`on ${cluster.engine}`);
    print(
      `${rounds} rounds of ${seconds} s, ${bench.connections} at once, ${POOL} connections; CPU in µs, but for the database`,
    );
    print(row(['', '', 'per second', 'CPU']));
    const results: Record<string, Record<string, number>> = {};
    for (const task of tasks) {
      const measured: Record<Variant, Run[]> = { driver: [], service: [] };
      for (let round = 0; round < rounds; round += 1) {
        // Who runs first changes, so that drift of the machine cancels out.
        for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
          const done = await run(cluster, variant, loadOf(task, seconds));
          measured[variant].push(done);
          print(row([task, variant, done.perSecond.toFixed(0), done.cpu.toFixed(0)]));
        }
      }
      results[task] = summary(measured);
    }
    const { mibPerSecond, plainMibPerSecond, mibBefore, peakMib } = await cluster.uploads();
    results['uploads'] = {
      mib_per_second: Math.round(mibPerSecond),
      plain_mib_per_second: Math.round(plainMibPerSecond),
      service_mib_before: Math.round(mibBefore),
      service_mib_at_most: Math.round(peakMib),
    };
    print(JSON.stringify(results));
  } finally {
    await cluster.stop();
  }
}

async function run(cluster: ContentCluster, variant: Variant, load: TaskLoad): Promise<Run> {
  const before = cluster.cpu(variant);
  const { done, seconds } = await cluster.work(variant, load);
  return { perSecond: done / seconds, cpu: (cluster.cpu(variant) - before) / done };
}

const row = tableRow({ left: [10, 10], right: 13 });

/** Medians; of the ratios too, each of which compares two runs made within seconds of each other. */
function summary({ driver, service }: Readonly<Record<Variant, readonly Run[]>>): Record<string, number> {
  const ratios = service.map(({ perSecond }, round) => perSecond / (driver[round]?.perSecond ?? NaN));
  return {
    driver_per_second: Math.round(median(driver.map(({ perSecond }) => perSecond))),
    service_per_second: Math.round(median(service.map(({ perSecond }) => perSecond))),
    service_to_driver: Number(median(ratios).toFixed(3)),
    driver_cpu_micros: Math.round(median(driver.map(({ cpu }) => cpu))),
    service_cpu_micros: Math.round(median(service.map(({ cpu }) => cpu))),
  };
}
