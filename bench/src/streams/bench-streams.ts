/** `npm run bench -- streams`: streams over the gateway's own channel beside grpc-js. */
import { join } from 'node:path';
import { startCallers, type Callers } from '../caller-process.ts';
import { startCluster } from '../cluster.ts';
import { median } from '../rounds.ts';
import { tableRow } from '../table-row.ts';
import type { StreamCallerOptions, StreamLoad, StreamVariant } from './stream-caller.ts';

export interface StreamsBench {
  readonly rounds: number;
  readonly seconds: number;
  /** Streams that are open at once. */
  readonly connections: number;
  /** The folder in which the callers leave a CPU profile. */
  readonly profiles?: string | undefined;
}

/** Long enough for the compiler to have seen every path. */
const WARM_UP_SECONDS = 3;
/** Of a long stream: what begins and ends it is no more than a hundredth. */
const MANY = 1_000;
const VARIANTS: readonly StreamVariant[] = ['own', 'grpc-js'];

const row = tableRow({ left: [22], right: 16 });

/** Measures, prints every round, and as the last line the medians as JSON. */
export async function benchStreams(
  { rounds, profiles, ...load }: StreamsBench,
  print: (line: string) => void,
): Promise<void> {
  print('starting a service that streams, and its callers …');
  const cluster = await startCluster({ services: [], profiles });
  try {
    const service = await cluster.run('streams', [join(import.meta.dirname, '../stream-stub/main.ts')], {});
    const { profiling } = cluster;
    const readers = startCallers<StreamVariant, StreamLoad>(join(import.meta.dirname, 'stream-caller.ts'), {
      variants: VARIANTS,
      options: { address: service.ready } satisfies StreamCallerOptions,
      profiling,
    });
    cluster.atStop(() => readers.stop());

    print('warming up …');
    const warmUp = { ...load, seconds: WARM_UP_SECONDS };
    for (const variant of VARIANTS)
      for (const messages of [1, MANY]) await readers.work(variant, { ...warmUp, messages });

    print(`${rounds} rounds of ${load.seconds} s, ${load.connections} at once; µs of CPU of whoever calls`);
    print(row(['', ...VARIANTS, 'ratio']));
    const perStream: Compared[] = [];
    const perMessage: Compared[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const inTurn = round % 2 === 0 ? VARIANTS : VARIANTS.toReversed();
      const streams = await compare(readers, inTurn, { ...load, messages: 1 }, 1);
      const messages = await compare(readers, inTurn, { ...load, messages: MANY }, MANY);
      perStream.push(streams);
      perMessage.push(messages);
      print(shown('a stream of one message', streams));
      print(shown('a message of many', messages));
    }
    print(JSON.stringify({ streams: summary(perStream), messages: summary(perMessage) }));
  } finally {
    await cluster.stop();
  }
}

type Compared = Readonly<Record<StreamVariant, number>>;

/** CPU of each variant for one of so many things in what it does over and over. */
async function compare(
  readers: Callers<StreamVariant, StreamLoad>,
  inTurn: readonly StreamVariant[],
  asked: StreamLoad,
  things: number,
): Promise<Compared> {
  const cpu: Partial<Record<StreamVariant, number>> = {};
  for (const variant of inTurn) {
    const before = readers.cpu(variant);
    const { done } = await readers.work(variant, asked);
    cpu[variant] = (readers.cpu(variant) - before) / done / things;
  }
  return cpu as Compared;
}

const ratioOf = (compared: Compared): number => compared.own / compared['grpc-js'];

const shown = (name: string, compared: Compared): string =>
  row([name, ...VARIANTS.map((variant) => compared[variant].toFixed(2)), ratioOf(compared).toFixed(2)]);

const summary = (rounds: readonly Compared[]) => ({
  own_cpu_micros: Number(median(rounds.map(({ own }) => own)).toFixed(2)),
  grpc_js_cpu_micros: Number(median(rounds.map((each) => each['grpc-js'])).toFixed(2)),
  cpu_ratio: Number(median(rounds.map(ratioOf)).toFixed(3)),
});
