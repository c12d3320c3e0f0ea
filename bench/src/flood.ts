/** `npm run bench -- flood`: how long one person waits while another sends as much as the gateway takes. */
import { setTimeout as delay } from 'node:timers/promises';
import { startGatewayCluster, type GatewayCluster } from './gateway/gateway-cluster.ts';
import { sendLoad, type LoadSettings } from './load.ts';
import { processCpu } from './process-cpu.ts';
import { median } from './rounds.ts';
import { tableRow } from './table-row.ts';

export type FloodBench = LoadSettings & { readonly rounds: number };

/** Requests of the calm person, a second. */
const CALM_RATE = 50;
/** So that the calm person is within it, and the flood is not. */
const LIMITS = { GATEWAY_CALLER_LIMIT: '6000', GATEWAY_CALLER_BURST: '500' };
const PATH = '/organisations/current/';

/** Prints every round, and as the last line the median ratio as JSON. */
export async function benchFlood(
  { rounds, seconds, connections }: FloodBench,
  print: (line: string) => void,
): Promise<void> {
  print('starting PostgreSQL, identity and the gateway …');
  const cluster = await startGatewayCluster('identity', { environment: LIMITS });
  const { url, pid } = cluster.platform;
  try {
    const [calm, flood] = await Promise.all([founder(cluster, 'calm'), founder(cluster, 'flood')]);
    await waits(url, calm, 3);
    print(
      `${rounds} rounds of ${seconds} s; ${CALM_RATE} requests a second of one person, ${connections} connections of another; CPU in shares of a core`,
    );
    print(
      row([
        '',
        'alone p50 ms',
        'p99 ms',
        'flood p50 ms',
        'p99 ms',
        'ratio',
        '2xx/s',
        'refused/s',
        'gateway',
        'identity',
      ]),
    );
    const all = { alone: [] as number[], beside: [] as number[] };
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const flooded = async () => {
        const flooding = sendFlood(url, flood, { connections, seconds: seconds + 1, isElsewhere: true });
        await delay(500);
        const before = [processCpu(pid), processCpu(cluster.identityPid)] as const;
        const beside = await waits(url, calm, seconds);
        const cpu = [processCpu(pid) - before[0], processCpu(cluster.identityPid) - before[1]] as const;
        return { beside, cpu, ...(await flooding) };
      };
      // Who is first changes, so that drift of the machine cancels out; what the flood has used up is whole again before each.
      const aloneFirst = round % 2 === 0 ? await waits(url, calm, seconds) : undefined;
      const { beside, cpu, served, refused } = await flooded();
      const alone = aloneFirst ?? (await waits(url, calm, seconds));
      all.alone.push(...alone);
      all.beside.push(...beside);
      const ratio = at(beside, 0.99) / at(alone, 0.99);
      ratios.push(ratio);
      const times = [at(alone, 0.5), at(alone, 0.99), at(beside, 0.5), at(beside, 0.99), ratio];
      const shares = cpu.map((micros) => (micros / 1e6 / seconds).toFixed(2));
      print(
        row([
          `round ${round + 1}`,
          ...times.map((value) => value.toFixed(2)),
          served.toFixed(0),
          refused.toFixed(0),
          ...shares,
        ]),
      );
    }
    const pooled = (share: number): number => Number((at(all.beside, share) / at(all.alone, share)).toFixed(2));
    // Of one round the 99th percentile is its slowest or second answer: that of all rounds together depends on many.
    print(
      JSON.stringify({
        flood: {
          p99_ratio: pooled(0.99),
          p50_ratio: pooled(0.5),
          p99_ratio_of_rounds: Number(median(ratios).toFixed(2)),
        },
      }),
    );
  } finally {
    await cluster.stop();
  }
}

const row = tableRow({ left: [10], right: 13 });

const at = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** Somebody with an organisation; the headers of each request. */
async function founder({ platform, tokenOf }: GatewayCluster, sub: string): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${await tokenOf(sub)}`, 'content-type': 'application/json' };
  const organisation = { email: `${sub}@example.com`, name: sub, image_url: 'https://example.com/logo.png' };
  const made = await fetch(`${platform.url}/organisations/`, {
    method: 'POST',
    headers,
    body: JSON.stringify(organisation),
  });
  if (!made.ok) throw new Error(`POST /organisations/ answered ${made.status}: ${await made.text()}`);
  return headers;
}

/** Milliseconds of each answer to somebody who asks evenly, whether or not the one before is answered. */
async function waits(url: string, headers: Record<string, string>, seconds: number): Promise<number[]> {
  const asked: Promise<number>[] = [];
  const begun = performance.now();
  for (let request = 0; request < seconds * CALM_RATE; request += 1) {
    await delay(Math.max(0, begun + (request * 1000) / CALM_RATE - performance.now()));
    asked.push(oneWait(url, headers));
  }
  return Promise.all(asked);
}

async function oneWait(url: string, headers: Record<string, string>): Promise<number> {
  const begun = performance.now();
  const response = await fetch(url + PATH, { headers });
  await response.arrayBuffer();
  if (response.status === 429) throw new Error('the calm person came too often');
  return performance.now() - begun;
}

async function sendFlood(
  url: string,
  headers: Record<string, string>,
  load: LoadSettings,
): Promise<{ readonly served: number; readonly refused: number }> {
  const result = await sendLoad(url, { method: 'GET', path: PATH, headers }, load);
  return { served: result['2xx'] / result.duration, refused: result.non2xx / result.duration };
}
