import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { promisify } from 'node:util';
import { processCpu } from './process-cpu.ts';
import type { Measurement } from './rounds.ts';

/** One kind of request, sent over and over. */
export type Scenario = {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
};

/** A server under test. */
export type Target = { url: string; pid: number };

export type LoadSettings = {
  connections: number;
  seconds: number;
  /** It takes what the others leave of the processors, as if it came from another machine. */
  isElsewhere?: boolean;
};

type AutocannonResult = { duration: number; latency: { p99: number }; '2xx': number; non2xx: number; errors: number };

const autocannon = createRequire(import.meta.url).resolve('autocannon');

/** Sends a scenario to a server for some seconds from a process of its own, on connections that are kept and never idle. */
export const sendLoad = async (
  url: string,
  scenario: Omit<Scenario, 'name'>,
  { connections, seconds, isElsewhere = false }: LoadSettings,
): Promise<AutocannonResult> => {
  const headers = Object.entries(scenario.headers).flatMap(([name, value]) => ['--headers', `${name}=${value}`]);
  const body = scenario.body === undefined ? [] : ['--body', scenario.body];
  const finished = promisify(execFile)(
    process.execPath,
    [
      autocannon,
      '--json',
      '--no-progress',
      ...['--connections', String(connections)],
      ...['--duration', String(seconds)],
      ...['--method', scenario.method],
      ...headers,
      ...body,
      url + scenario.path,
    ],
    { maxBuffer: 16 * 1_048_576 },
  );
  if (isElsewhere) setPriority(finished.child.pid ?? 0, constants.priority.PRIORITY_LOW);
  const { stdout } = await finished;
  return JSON.parse(stdout.slice(stdout.indexOf('{'))) as AutocannonResult;
};

/** Sends a scenario to a target and measures both sides. */
export const measure = async (target: Target, scenario: Scenario, settings: LoadSettings): Promise<Measurement> => {
  const before = processCpu(target.pid);
  const result = await sendLoad(target.url, scenario, settings);
  const cpu = processCpu(target.pid) - before;
  const requests = result['2xx'];
  // A refused request is cheap: counting it would flatter whoever refuses.
  if (requests === 0 || result.non2xx > 0 || result.errors > 0) {
    throw new Error(
      `${scenario.name} at ${target.url}: ${requests} good answers, ${result.non2xx} others, ${result.errors} errors`,
    );
  }
  return { perSecond: requests / result.duration, p99: result.latency.p99, cpu: cpu / requests };
};
