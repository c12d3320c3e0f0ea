/** `npm run bench -- notebooks`: kernels through the whole platform beside a direct connection to them, and their starts. */
import { median } from '../rounds.ts';
import { tableRow } from '../table-row.ts';
import { kernelClient } from './kernel-client.ts';
import { pythonWithIpykernel, quiet } from './kernels-here.ts';
import { startNotebooksCluster, type NotebooksCluster, type RunningNotebooks } from './notebooks-cluster.ts';
import { startOwnKernel } from './provider.ts';
import { overWebSocket, startKernel, stopKernel, type Server } from './web-socket.ts';
import type { Connect } from './wire.ts';
import { overZeromq } from './zeromq.ts';

export interface NotebooksBench {
  readonly rounds: number;
  readonly profiles?: string | undefined;
}

type Variant = 'direct' | 'platform';
const variants: readonly Variant[] = ['direct', 'platform'];

const ROUND_TRIPS = 200;
const INTERRUPTS = 3;
/** What a cell writes, in lines of a thousand characters. */
const OUTPUT_BYTES = 10_000_000;
const WRITING = 'for _ in range(10_000): print("x" * 999)';
/** Kernels that are started one after the other, and then at once; as many are kept ready. */
const COLD = 2;
const WARM = 4;
/** More than the organisation of the benchmark writes. */
const LIMITS = { NOTEBOOKS_KERNEL_OUTPUT_MB: '64' };

/** Measures, prints every round, and as the last line the best of the rounds as JSON. */
export async function benchNotebooks(
  { rounds, profiles }: NotebooksBench,
  print: (line: string) => void,
): Promise<void> {
  print('starting PostgreSQL, NATS, notebooks and the gateway …');
  const cluster = await startNotebooksCluster(profiles);
  try {
    const python = await pythonWithIpykernel();
    if (python === undefined) print('no Python has ipykernel here (PYTHON_BINARY names one): it is left out');
    const results: Record<string, Record<string, number>> = {};
    for (const [make, own] of [
      ...(python === undefined ? [] : [['ipykernel', { NOTEBOOKS_PYTHON: python }] as const]),
      ['pyodide', {}] as const,
    ]) {
      const environment = { ...LIMITS, ...own };
      print(`\n${make}: ${rounds} rounds; CPU of gateway and service in µs`);
      results[make] = {
        ...(await compare(cluster, make, environment, rounds, print)),
        ...(await measureWarmStarts(cluster, environment, print)),
      };
    }
    print(JSON.stringify(results));
  } finally {
    await cluster.stop();
  }
}

/** What one variant took in one round: milliseconds, and CPU in microseconds. */
interface Round {
  readonly roundTrip: number;
  readonly roundTripCpu: number;
  readonly output: number;
  readonly outputCpu: number;
  readonly interrupt: number;
}

/** One kernel at a time and none kept ready, so that nothing starts beside what is measured. */
async function compare(
  cluster: NotebooksCluster,
  make: string,
  environment: Readonly<Record<string, string>>,
  rounds: number,
  print: (line: string) => void,
): Promise<Record<string, number>> {
  const notebooks = await cluster.start({ environment, warm: 0 });
  const { server } = notebooks;
  const cold = await startsOf(notebooks, COLD);
  const kernelId = await startKernel(server);
  await (await greeted(server, kernelId)).close();
  // An ipykernel has sockets, so both variants lead to the same kernel; Pyodide's is a second one of the same making.
  const own = make === 'pyodide' ? await startOwnKernel(environment) : undefined;
  const connect: Record<Variant, Connect> = {
    direct: own?.connect ?? overZeromq(notebooks.connectionFile()),
    platform: overWebSocket(server, kernelId),
  };
  for (const variant of variants) await measure(connect[variant], notebooks);
  print(row(['', 'round trip', 'CPU', '10 MB', 'CPU', 'interrupt']));
  const measured: Record<Variant, Round[]> = { direct: [], platform: [] };
  for (let round = 0; round < rounds; round += 1) {
    // Who is first changes, so that drift of the machine cancels out.
    for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
      const one = await measure(connect[variant], notebooks);
      measured[variant].push(one);
      const { roundTrip, roundTripCpu, output, outputCpu, interrupt } = one;
      const milliseconds = (value: number) => `${value.toFixed(2)} ms`;
      print(
        row([
          variant,
          milliseconds(roundTrip),
          variant === 'direct' ? '' : roundTripCpu.toFixed(0),
          milliseconds(output),
          variant === 'direct' ? '' : outputCpu.toFixed(0),
          milliseconds(interrupt),
        ]),
      );
    }
  }
  await own?.stop();
  await stopKernel(server, kernelId);
  await notebooks.stop();
  print(`started cold: the first message after ${cold.ms.toFixed(0)} ms, ${cold.perSecond.toFixed(2)} per second`);
  return { ...summary(measured), cold_start_ms: Math.round(cold.ms), cold_starts_per_second: rounded(cold.perSecond) };
}

async function measure(connect: Connect, notebooks: RunningNotebooks): Promise<Round> {
  const client = await kernelClient(connect);
  await client.greet();
  const before = notebooks.cpu();
  const times: number[] = [];
  for (let done = 0; done < ROUND_TRIPS; done += 1) times.push((await client.execute('6 * 7')).ms);
  const between = notebooks.cpu();
  const { ms: output, bytes, status } = await client.execute(WRITING);
  if (status !== 'ok' || bytes < OUTPUT_BYTES) throw new Error(`of the output ${bytes} bytes came: ${status}`);
  const outputCpu = notebooks.cpu() - between;
  const interrupts: number[] = [];
  for (let done = 0; done < INTERRUPTS; done += 1) interrupts.push(await client.interrupt());
  await client.close();
  return {
    roundTrip: median(times),
    roundTripCpu: (between - before) / ROUND_TRIPS,
    output,
    outputCpu,
    interrupt: median(interrupts),
  };
}

async function measureWarmStarts(
  cluster: NotebooksCluster,
  environment: Readonly<Record<string, string>>,
  print: (line: string) => void,
): Promise<Record<string, number>> {
  const notebooks = await cluster.start({ environment, warm: WARM });
  const { ms, perSecond } = await startsOf(notebooks, WARM);
  await notebooks.stop();
  print(`started warm: the first message after ${ms.toFixed(0)} ms, ${perSecond.toFixed(2)} per second`);
  return { warm_start_ms: Math.round(ms), warm_starts_per_second: rounded(perSecond) };
}

/** A kernel is there when it has answered over a WebSocket: one after the other, and then so many at once. */
async function startsOf(
  notebooks: RunningNotebooks,
  kernels: number,
): Promise<{ readonly ms: number; readonly perSecond: number }> {
  const startOne = async (): Promise<{ ms: number; end: () => Promise<void> }> => {
    const startedAt = performance.now();
    const kernelId = await startKernel(notebooks.server);
    const client = await greeted(notebooks.server, kernelId);
    const ms = performance.now() - startedAt;
    return {
      ms,
      async end() {
        await client.close();
        await stopKernel(notebooks.server, kernelId);
      },
    };
  };
  const times: number[] = [];
  for (let done = 0; done < kernels; done += 1) {
    await quiet(notebooks.kernelsCpu);
    const { ms, end } = await startOne();
    times.push(ms);
    await end();
  }
  await quiet(notebooks.kernelsCpu);
  const startedAt = performance.now();
  const started = await Promise.all(Array.from({ length: kernels }, startOne));
  const perSecond = (kernels * 1000) / (performance.now() - startedAt);
  await Promise.all(started.map(({ end }) => end()));
  return { ms: median(times), perSecond };
}

async function greeted(server: Server, kernelId: string) {
  const client = await kernelClient(overWebSocket(server, kernelId));
  await client.greet();
  return client;
}

const row = tableRow({ left: [10], right: 13 });

/** The best of the rounds, of either variant: what else the machine does only ever makes them slower. */
function summary({ direct, platform }: Readonly<Record<Variant, readonly Round[]>>): Record<string, number> {
  const best = (rounds: readonly Round[], of: (round: Round) => number) => Math.min(...rounds.map(of));
  const both = (name: string, of: (round: Round) => number) => ({
    [`direct_${name}_ms`]: rounded(best(direct, of)),
    [`${name}_ms`]: rounded(best(platform, of)),
  });
  const roundTrip = ({ roundTrip: ms }: Round) => ms;
  const output = ({ output: ms }: Round) => ms;
  return {
    ...both('round_trip', roundTrip),
    round_trip_to_direct: rounded(best(platform, roundTrip) / best(direct, roundTrip)),
    round_trip_cpu_micros: Math.round(best(platform, ({ roundTripCpu }) => roundTripCpu)),
    ...both('output', output),
    output_to_direct: rounded(best(direct, output) / best(platform, output)),
    output_cpu_micros: Math.round(best(platform, ({ outputCpu }) => outputCpu)),
    ...both('interrupt', ({ interrupt }) => interrupt),
  };
}

const rounded = (value: number): number => Number(value.toFixed(2));
