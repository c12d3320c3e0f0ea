import { setTimeout as delay } from 'node:timers/promises';
import { succeeding, type ComposeProject } from './compose-project.ts';
import type { ContainerLogs } from './container-logs.ts';

const WITHIN_MS = 180_000;
const ASK_EVERY_MS = 1_000;
const METRICS = "fetch('http://127.0.0.1:9464/metrics').then((answer) => answer.text()).then(console.log)";

/** What a service lacks after NATS has lost its storage, one sentence each: it has said and counted the new stream, and nothing waits any more. */
export async function recoveryProblems(
  project: ComposeProject,
  logs: ContainerLogs,
  service: string,
): Promise<string[]> {
  const hasSaid = () => logs.linesWith('"events.stream_new"').some((line) => line.startsWith(`${service}-`));
  const problems = await Promise.all([
    within(`${service} has not said that the stream is new`, hasSaid),
    within(`${service} has not counted the new stream`, async () => (await newStreams(project, service)) > 0),
    within(`events of ${service} wait still`, async () => (await waiting(project, service)) === 0),
  ]);
  return problems.filter((problem) => problem !== undefined);
}

async function within(problem: string, isSo: () => boolean | Promise<boolean>): Promise<string | undefined> {
  const end = performance.now() + WITHIN_MS;
  let said = '';
  while (performance.now() < end) {
    try {
      if (await isSo()) return undefined;
    } catch (error) {
      said = `: ${String(error)}`;
    }
    await delay(ASK_EVERY_MS);
  }
  return `${problem} after ${String(WITHIN_MS / 1_000)} s${said}.`;
}

/** Over all of its replicas: one of them publishes again what all have. */
async function newStreams({ containersOf }: ComposeProject, service: string): Promise<number> {
  const counted = (await containersOf(service)).map(async (id) => {
    const metrics = await succeeding('docker', ['exec', id, 'node', '--eval', METRICS]);
    return Number(/^events_new_streams_total(?:\{.*\})? (\d+)/m.exec(metrics)?.[1] ?? 0);
  });
  return (await Promise.all(counted)).reduce((sum, count) => sum + count, 0);
}

interface Lag {
  readonly outbox?: { readonly events: number };
  readonly events?: number;
}

/** Events to be published, and events that its consumers have not finished, as `events lag` tells. */
async function waiting({ containersOf }: ComposeProject, service: string): Promise<number> {
  const [id = ''] = await containersOf(service);
  const told = await succeeding('docker', ['exec', id, 'node', `apps/${service}/src/main.ts`, 'events', 'lag']);
  const lags = told
    .split('\n')
    .filter((line) => line.startsWith('{"outbox"') || line.startsWith('{"consumer"'))
    .map((line) => JSON.parse(line) as Lag);
  if (lags.length === 0) throw new Error(`${service} tells no lag: ${told}`);
  return lags.reduce((sum, { outbox, events = 0 }) => sum + (outbox?.events ?? events), 0);
}
