import { kernelClient } from '../notebooks/kernel-client.ts';
import { pythonWithIpykernel, quiet } from '../notebooks/kernels-here.ts';
import { startOwnKernel } from '../notebooks/provider.ts';
import { median } from '../rounds.ts';
import { tableRow } from '../table-row.ts';
import { uploadSales } from './group-by.ts';
import { startPipelinesCluster } from './pipelines-cluster.ts';
import { timesOf } from './run-load.ts';

const SOURCE = 'print("done")';
/** A step takes a kernel for itself, and the next waits for what is warmed in its place. */
const STEPS_IN_A_ROUND = 5;

/**
 * From when a run of one step that prints is asked for until its end is committed, with a kernel that is warm; and beside it how long a
 * kernel takes for the same line, and how long a run takes whose step is an empty query.
 */
export async function benchPythonStep(
  { rounds, profiles }: { readonly rounds: number; readonly profiles?: string | undefined },
  print: (line: string) => void,
): Promise<Record<string, number>> {
  const python = await pythonWithIpykernel();
  if (python === undefined) print('no Python has ipykernel here (PYTHON_BINARY names one): it is left out');
  const figures: Record<string, number> = {};
  for (const [make, settings] of [
    ['pyodide', {}],
    ...(python === undefined ? [] : [['ipykernel', { NOTEBOOKS_PYTHON: python }] as const]),
  ] as const) {
    print(`starting the platform with kernels of ${make} …`);
    Object.assign(figures, await measure({ make, settings, rounds, profiles }, print));
  }
  return figures;
}

async function measure(
  wanted: {
    readonly make: string;
    readonly settings: Readonly<Record<string, string>>;
    readonly rounds: number;
    readonly profiles: string | undefined;
  },
  print: (line: string) => void,
): Promise<Record<string, number>> {
  const { make, settings, rounds, profiles } = wanted;
  const cluster = await startPipelinesCluster(profiles, {}, { ...settings, NOTEBOOKS_WARM_KERNELS: '1' });
  try {
    const runsOf = async (config: object): Promise<() => Promise<number>> => {
      const pipelineId = await cluster.newPipeline([{ name: 'step', config }]);
      const start = async () => (await cluster.answer<{ id: string }>('POST', `/pipelines/${pipelineId}/runs/`, {})).id;
      return async () => (await timesOf(start, cluster.ended, 1)).median;
    };
    await uploadSales(cluster, 1);
    const check = { job_type: 'CHECK', input_datasets: ['sales'] };
    const step = await runsOf({ ...check, query_type: 'PYTHON', query: SOURCE });
    const empty = await runsOf({ ...check, query: 'SELECT 1 FROM sales WHERE false' });
    // The first kernel of all is started for it, and so is the process of the organisation's queries.
    const cold = await step();
    await empty();
    const own = await startOwnKernel(settings);
    const kernel = await kernelClient(own.connect);
    await kernel.greet();
    const measured: { direct: number; empty: number; step: number }[] = [];
    print(row([make, 'kernel, ms', 'empty SQL step', 'PYTHON step', 'cold']));
    for (let count = 0; count < rounds; count += 1) {
      const times = { direct: [] as number[], empty: [] as number[], step: [] as number[] };
      for (let done = 0; done < STEPS_IN_A_ROUND; done += 1) {
        await quiet(cluster.kernelsCpu);
        times.step.push(await step());
        await quiet(cluster.kernelsCpu);
        times.empty.push(await empty());
        times.direct.push((await kernel.execute(SOURCE)).ms);
      }
      const one = { direct: median(times.direct), empty: median(times.empty), step: median(times.step) };
      measured.push(one);
      print(row(['', ...[one.direct, one.empty, one.step, cold].map((ms) => ms.toFixed(1))]));
    }
    await kernel.close();
    await own.stop();
    const best = (of: (one: (typeof measured)[number]) => number) => Number(Math.min(...measured.map(of)).toFixed(2));
    return {
      [`${make}_direct_ms`]: best(({ direct }) => direct),
      [`${make}_empty_step_ms`]: best(({ empty: ms }) => ms),
      [`${make}_step_ms`]: best(({ step: ms }) => ms),
    };
  } finally {
    await cluster.stop();
  }
}

const row = tableRow({ left: [12], right: 15 });
