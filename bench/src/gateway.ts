/** `npm run bench -- gateway`: the platform's gateway beside a hand-written one doing the same work. */
import { startGatewayCluster, type ServiceKind } from './gateway-cluster.ts';
import { measure, type LoadSettings, type Scenario } from './load.ts';
import { medianRatios, orderOfRound, type Measurement, type Ratios, type Round } from './rounds.ts';
import { assertSameAnswers, prepareScenarios } from './scenarios.ts';
import { tableRow } from './table-row.ts';

/** Long enough for the compiler to have seen every path. */
const WARM_UP_SECONDS = 3;

export type GatewayBench = LoadSettings & { service: ServiceKind; rounds: number; profiles: string | undefined };

const row = tableRow({ left: [31], right: 13 });

const numbers = ({ requestsPerSecond, p99, cpuPerRequest }: Measurement) => [
  requestsPerSecond.toFixed(0),
  p99.toFixed(1),
  cpuPerRequest.toFixed(0),
];

const rounded = (value: number): number => Number(value.toFixed(3));

/** Measures, prints every round, and as the last line the ratios as JSON. */
export const benchGateway = async (
  { service, rounds, profiles, ...load }: GatewayBench,
  print: (line: string) => void,
): Promise<void> => {
  print(`starting the gateway, the baseline and ${service === 'stub' ? 'a stand-in for identity' : 'identity'} …`);
  const cluster = await startGatewayCluster(service, { profiles });
  try {
    const scenarios = await prepareScenarios(cluster);
    await assertSameAnswers(cluster, scenarios);
    const all: Scenario[] = [scenarios.get, scenarios.organisation, scenarios.post];

    print('warming up …');
    for (const scenario of all) {
      for (const side of orderOfRound(0)) await measure(cluster[side], scenario, { ...load, seconds: WARM_UP_SECONDS });
    }

    print(
      `${rounds} rounds, each ${load.seconds} s per server with ${load.connections} connections; CPU is µs per request of the server process`,
    );
    print(row(['', 'requests/s', 'p99 ms', 'CPU µs', 'baseline r/s', 'p99 ms', 'CPU µs', 'CPU ratio']));
    const results = new Map<Scenario, Round[]>(all.map((scenario) => [scenario, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [scenario, done] of results) {
        const measured: Partial<Round> = {};
        for (const side of orderOfRound(round)) measured[side] = await measure(cluster[side], scenario, load);
        const { platform, baseline } = measured as Round;
        done.push({ platform, baseline });
        print(
          row([
            scenario.name,
            ...numbers(platform),
            ...numbers(baseline),
            (platform.cpuPerRequest / baseline.cpuPerRequest).toFixed(2),
          ]),
        );
      }
    }

    print('');
    print(row(['median of the rounds’ ratios', 'requests/s', 'p99', 'CPU/request']));
    const ratios = new Map<Scenario, Ratios>([...results].map(([scenario, done]) => [scenario, medianRatios(done)]));
    for (const [scenario, { rps, p99, cpu }] of ratios) {
      print(row([scenario.name, rps.toFixed(2), p99.toFixed(2), cpu.toFixed(2)]));
    }
    const summary = (scenario: Scenario) => {
      const { cpu, rps } = ratios.get(scenario) as Ratios;
      return { cpu_ratio: rounded(cpu), rps_ratio: rounded(rps) };
    };
    print(JSON.stringify({ get: summary(scenarios.get), post: summary(scenarios.post) }));
  } finally {
    await cluster.stop();
  }
};
