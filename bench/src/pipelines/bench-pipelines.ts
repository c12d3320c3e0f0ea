/** `npm run bench -- pipelines`: queries, runs and lists of the pipelines service, beside DuckDB and pg where they do the same. */
import { loadavg } from 'node:os';
import { median } from '../rounds.ts';
import { tableRow } from '../table-row.ts';
import { benchChain } from './bench-chain.ts';
import { benchPythonStep } from './bench-python-step.ts';
import { prepareGroupBy, ROWS, uploadSales, type QueryTimes } from './group-by.ts';
import { startOrchestration } from './orchestration.ts';
import { startPipelinesCluster, type PipelinesCluster } from './pipelines-cluster.ts';
import type { ProcessTimes, Runner } from './run-load.ts';
import { listThroughApi, listThroughPg, makeRuns, RUNS } from './run-pages.ts';
import { stepRuns } from './step-runs.ts';

/** What can be measured alone. */
export const PARTS = ['orchestration', 'group-by', 'chain', 'steps', 'python-step', 'pages'] as const;
export type Part = (typeof PARTS)[number];

export interface PipelinesBench {
  readonly parts: readonly Part[];
  readonly rounds: number;
  readonly seconds: number;
  readonly profiles?: string | undefined;
}

type Figures = Record<string, number>;
type Print = (line: string) => void;

/** As many runs under way as keep the process busy, and as keep both step processes busy. */
const AT_ONCE = { orchestration: 64, steps: 8 };
const TIMED_RUNS = { orchestration: 100, steps: 30 };
const WARM_UP_RUNS = 5;
const PROCESSES = ['service', 'postgres', 'nats'] as const satisfies (keyof ProcessTimes)[];

/** Measures, prints every round, and as the last line the best rounds as JSON. */
export async function benchPipelines(options: PipelinesBench, print: Print): Promise<void> {
  const { parts, profiles } = options;
  const orchestration = parts.includes('orchestration') && (await benchOrchestration(options, profiles, print));
  const steps = parts.includes('steps') && (await benchSteps(options, profiles, print));
  const chain = parts.includes('chain') && (await benchChain(options, print));
  const pythonStep = parts.includes('python-step') && (await benchPythonStep(options, print));
  const isShared = parts.includes('group-by') || parts.includes('pages');
  const others = isShared && (await benchPlatform(options, profiles, print));
  print(
    JSON.stringify({
      ...(orchestration && { orchestration }),
      ...(steps && { steps }),
      ...(chain && { chain }),
      ...(pythonStep && { python_step: pythonStep }),
      ...others,
    }),
  );
}

async function benchOrchestration(
  options: PipelinesBench,
  profiles: string | undefined,
  print: Print,
): Promise<Figures> {
  print('starting PostgreSQL and NATS for orchestration alone …');
  const orchestrating = await startOrchestration(profiles);
  try {
    return (await benchRuns({ '': orchestrating }, { what: 'orchestration', ...options }, print))[''];
  } finally {
    await orchestrating.stop();
  }
}

/** Rows of what the steps name and do not read. */
const FEW_ROWS = 1_000;

/** As the service carries steps out, and beside it with a process for each of them. */
async function benchSteps(
  options: PipelinesBench,
  profiles: string | undefined,
  print: Print,
): Promise<Record<string, Figures>> {
  print('starting the platform twice for steps …');
  const shared = await startPipelinesCluster(profiles);
  try {
    const apart = await startPipelinesCluster(undefined, { PIPELINES_JOBS_PER_PROCESS: '1' });
    try {
      for (const cluster of [shared, apart]) await uploadSales(cluster, FEW_ROWS);
      const runners = { shared: await stepRuns(shared), 'process a step': await stepRuns(apart) };
      const figures = await benchRuns(runners, { what: 'steps', ...options }, print);
      const { shared: ours, 'process a step': theirs } = figures;
      const ratio = {
        runs_per_second: ours.runs_per_second / theirs.runs_per_second,
        run_ms: ours.run_ms / theirs.run_ms,
      };
      print(row(['ratio', ratio.runs_per_second.toFixed(2), '', '', '', '', ratio.run_ms.toFixed(2)]));
      return { ...figures, ratio: { runs_per_second: rounded(ratio.runs_per_second), run_ms: rounded(ratio.run_ms) } };
    } finally {
      await apart.stop();
    }
  } finally {
    await shared.stop();
  }
}

async function benchPlatform(
  options: PipelinesBench,
  profiles: string | undefined,
  print: Print,
): Promise<Record<string, Figures>> {
  const { parts, rounds } = options;
  print('starting PostgreSQL, NATS, pipelines and the gateway …');
  const cluster = await startPipelinesCluster(profiles);
  const figures: Record<string, Figures> = {};
  try {
    if (parts.includes('group-by')) {
      print(`uploading ${ROWS} rows …`);
      figures['group_by'] = await benchGroupBy(await prepareGroupBy(cluster), rounds, print);
    }
    if (parts.includes('pages')) figures['pages'] = await benchPages(cluster, print);
    return figures;
  } finally {
    await cluster.stop();
  }
}

async function benchGroupBy(
  { uploadSeconds, ask }: Awaited<ReturnType<typeof prepareGroupBy>>,
  rounds: number,
  print: Print,
): Promise<Figures> {
  print(`the upload and the reading of it took ${uploadSeconds.toFixed(1)} s`);
  print(row(['group by, ms', 'direct', 'query', 'request', 'step', 'direct/query']));
  await ask();
  const times: QueryTimes[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const one = await ask();
    times.push(one);
    const all = [one.direct, one.query, one.request, one.step].map((time) => (time * 1000).toFixed(0));
    print(row(['', ...all, (one.direct / one.query).toFixed(2)]));
  }
  const best = (of: (one: QueryTimes) => number) => Math.round(Math.min(...times.map(of)) * 1000);
  return {
    upload_seconds: rounded(uploadSeconds),
    direct_ms: best(({ direct }) => direct),
    query_ms: best(({ query }) => query),
    request_ms: best(({ request }) => request),
    step_ms: best(({ step }) => step),
    direct_to_query: rounded(median(times.map(({ direct, query }) => direct / query))),
    direct_to_step: rounded(median(times.map(({ direct, step }) => direct / step))),
  };
}

interface RunFigures {
  readonly runs_per_second: number;
  readonly cpu_ms_per_run: number;
  readonly run_ms: number;
}

/** Those that are measured beside each other take turns in every round. */
async function benchRuns<Name extends string>(
  runners: Readonly<Record<Name, Runner>>,
  { what, rounds, seconds }: { readonly what: keyof typeof AT_ONCE; readonly rounds: number; readonly seconds: number },
  print: Print,
): Promise<Record<Name, RunFigures & Figures>> {
  const names = Object.keys(runners) as Name[];
  for (const name of names) {
    await runners[name].times(WARM_UP_RUNS);
    await runners[name].runs({ seconds: 1, atOnce: AT_ONCE[what] });
  }
  print(row([`${what}: runs`, 'per second', 'CPU ms/run', ...PROCESSES, 'one: median ms', 'best tenth', 'load']));
  const measured = new Map<Name, { perSecond: number; cpu: number; median: number; bestTenth: number }[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const runner = runners[name];
      const before = runner.cpu();
      const { runs, seconds: took } = await runner.runs({ seconds, atOnce: AT_ONCE[what] });
      const after = runner.cpu();
      const cpus = PROCESSES.map((process) => (after[process] - before[process]) / runs / 1000);
      const cpu = cpus.reduce((sum, each) => sum + each, 0);
      const times = await runner.times(Math.ceil(TIMED_RUNS[what] / rounds));
      measured.set(name, [...(measured.get(name) ?? []), { perSecond: runs / took, cpu, ...times }]);
      const [load = NaN] = loadavg();
      print(
        row([name, ...[runs / took, cpu, ...cpus, times.median, times.bestTenth, load].map((each) => each.toFixed(1))]),
      );
    }
  }
  const figuresOf = (of: readonly { perSecond: number; cpu: number; median: number }[] = []): RunFigures & Figures => ({
    runs_per_second: rounded(Math.max(...of.map(({ perSecond }) => perSecond))),
    cpu_ms_per_run: rounded(Math.min(...of.map(({ cpu }) => cpu))),
    run_ms: rounded(Math.min(...of.map((round) => round.median))),
  });
  return Object.fromEntries(names.map((name) => [name, figuresOf(measured.get(name))])) as Record<
    Name,
    RunFigures & Figures
  >;
}

async function benchPages(cluster: PipelinesCluster, print: Print): Promise<Figures> {
  print(`making ${RUNS} runs …`);
  const pipelineId = await makeRuns(cluster);
  const [api, direct] = [await listThroughApi(cluster, pipelineId), await listThroughPg(cluster, pipelineId)];
  print(row(['pages, ms', 'first tenth', 'last tenth', 'last/first']));
  for (const [variant, { first, last }] of Object.entries({ api, pg: direct }))
    print(row([variant, first.toFixed(1), last.toFixed(1), (last / first).toFixed(2)]));
  return {
    api_first_ms: rounded(api.first),
    api_last_ms: rounded(api.last),
    pg_first_ms: rounded(direct.first),
    pg_last_ms: rounded(direct.last),
  };
}

const rounded = (value: number): number => Number(value.toFixed(2));

const row = tableRow({ left: [22], right: 15 });
