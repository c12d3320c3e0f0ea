/** `npm run bench -- gateway`: the platform's gateway beside a hand-written one doing the same work. */
import type { LoadSettings } from '../load.ts';
import { median, medianRatios, orderOfRound, ratiosOf, type Measurement, type Round, type Side } from '../rounds.ts';
import { tableRow } from '../table-row.ts';
import { startGatewayCluster, type ServiceKind } from './gateway-cluster.ts';
import { assertSameAnswers, prepareScenarios } from './scenarios.ts';
import { subjectsOf, type Subject, type SubjectKey } from './subjects.ts';

export { SUBJECTS } from './subjects.ts';

/** Long enough for the compiler to have seen every path. */
const WARM_UP_SECONDS = 3;

export type GatewayBench = LoadSettings & {
  service: ServiceKind;
  subjects: readonly SubjectKey[];
  rounds: number;
  profiles: string | undefined;
};

const row = tableRow({ left: [31], right: 10 });
const wideRow = tableRow({ left: [31, 16], right: 9 });

const rounded = (value: number): number => Number(value.toFixed(3));
/** Requests are tens of microseconds and more, events a few. */
const micros = (value: number): string => value.toFixed(value < 20 ? 2 : 0);
const shown = (ratio: number): string => (Number.isNaN(ratio) ? '' : ratio.toFixed(2));

/** Measures, prints every round, a summary of all that fits one screen, and as the last line the ratios as JSON. */
export const benchGateway = async (
  { service, subjects, rounds, profiles, ...load }: GatewayBench,
  print: (line: string) => void,
): Promise<void> => {
  print(`starting the gateway, the baseline and ${service === 'stub' ? 'a stand-in for identity' : 'identity'} …`);
  const cluster = await startGatewayCluster(service, { profiles });
  try {
    const scenarios = await prepareScenarios(cluster);
    await assertSameAnswers(cluster, scenarios);
    const measured = subjectsOf(cluster, scenarios).filter(({ key }) => subjects.includes(key));
    const results = new Map(measured.map((subject) => [subject, [] as Round[]]));

    print('warming up …');
    for (const subject of results.keys()) {
      for (const side of orderOfRound(0)) await subject.measure(side, { ...load, seconds: WARM_UP_SECONDS });
    }

    print(
      `${rounds} rounds, each ${load.seconds} s per server with ${load.connections} connections; CPU is µs of the server process for each`,
    );
    print(row(['', 'per second', 'p99 ms', 'CPU µs', 'baseline/s', 'p99 ms', 'CPU µs', 'CPU ratio']));
    for (let round = 0; round < rounds; round += 1) {
      for (const [subject, done] of results) {
        const sides: Partial<Round> = {};
        for (const side of orderOfRound(round)) sides[side] = await subject.measure(side, load);
        const { platform, baseline } = sides as Round;
        done.push({ platform, baseline });
        print(row([subject.name, ...numbers(platform), ...numbers(baseline), shown(platform.cpu / baseline.cpu)]));
      }
    }
    printSummary(results, print);
    print(
      JSON.stringify(
        Object.fromEntries(
          [...results].map(([{ key }, done]) => {
            const { cpu, perSecond } = medianRatios(done);
            return [key, { cpu_ratio: rounded(cpu), rps_ratio: rounded(perSecond), cpu_micros: medianCpu(done) }];
          }),
        ),
      ),
    );
  } finally {
    await cluster.stop();
  }
};

const numbers = ({ perSecond, p99, cpu }: Measurement): string[] => [
  perSecond.toFixed(0),
  p99?.toFixed(1) ?? '',
  micros(cpu),
];

const medianOf = (done: readonly Round[], side: Side, name: 'cpu' | 'perSecond'): number =>
  median(done.map((round) => round[side][name]));

const medianCpu = (done: readonly Round[]): number => rounded(medianOf(done, 'platform', 'cpu'));

function printSummary(results: ReadonlyMap<Subject, readonly Round[]>, print: (line: string) => void): void {
  const [done = []] = results.values();
  print('');
  print(
    `medians of ${done.length} rounds; ratios are to the baseline, first of CPU, with the lowest and the highest round`,
  );
  print(wideRow(['', 'CPU aim', 'ratio', 'lowest', 'highest', 'CPU µs', 'baseline', 'per s', 'ratio', 'p99']));
  for (const [{ name, aim, aimMicros }, rounds] of results) {
    const { cpu, perSecond, p99 } = medianRatios(rounds);
    const ratios = rounds.map((round) => ratiosOf(round).cpu);
    print(
      wideRow([
        name,
        `≤ ${shown(aim)}${aimMicros === undefined ? '' : `, ${aimMicros} µs`}`,
        ...[cpu, Math.min(...ratios), Math.max(...ratios)].map(shown),
        ...(['platform', 'baseline'] as const).map((side) => micros(medianOf(rounds, side, 'cpu'))),
        medianOf(rounds, 'platform', 'perSecond').toFixed(0),
        ...[perSecond, p99].map(shown),
      ]),
    );
  }
}
