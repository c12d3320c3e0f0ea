/** The pipelines service behind its gateway. */
import { freePort } from '@platform-backend/embedded';
import { join } from 'node:path';
import { gatewayEnvironment, startCluster } from '../cluster.ts';
import { startNotebooks } from '../notebooks/notebooks-cluster.ts';
import { countTreeCpu, descendantsCpu, familyCpu, processCpu } from '../process-cpu.ts';
import { durablePostgres, type DurableDatabase } from './durable-postgres.ts';
import { endedRuns } from './ended-runs.ts';
import type { ProcessTimes } from './run-load.ts';

export interface PipelinesCluster {
  readonly database: DurableDatabase;
  /** For files of the benchmark. */
  readonly directory: string;
  /** One request as a member of the organisation; throws when it is refused. */
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<Response>;
  /** The body of its answer. */
  answer<Body>(...request: Parameters<PipelinesCluster['call']>): Promise<Body>;
  /** Makes a pipeline of these steps, and answers its id. */
  newPipeline(steps: readonly object[]): Promise<string>;
  /** Resolves when a run has ended well. */
  readonly ended: (runId: string) => Promise<void>;
  /** The service has its steps with it. */
  readonly cpu: () => ProcessTimes;
  /** CPU time of kernels so far, in microseconds. */
  readonly kernelsCpu: () => number;
  /** Counts that of gateway, service with all that its steps run in, PostgreSQL and NATS together. */
  readonly countWholeCpu: () => ReturnType<typeof countTreeCpu>;
  stop(): Promise<void>;
}

type Settings = Readonly<Record<string, string>>;

/**
 * The gateway asks a stand-in for identity, which knows every caller; nothing costs credits. With further settings of the service, and
 * with notebooks where there are settings of these.
 */
export async function startPipelinesCluster(
  profiles: string | undefined,
  settings: Settings = {},
  notebooksSettings?: Settings,
): Promise<PipelinesCluster> {
  const cluster = await startCluster({ services: ['gateway', 'pipelines', 'notebooks'], profiles });
  const { directory, nats } = cluster;
  const database = await durablePostgres(directory);
  cluster.atStop(() => database.stop());
  const issuer = await cluster.startIssuer();
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const identity = await cluster.startIdentityStub();
  const notebooks = notebooksSettings && (await startNotebooks(cluster, notebooksSettings));
  const pipelines = await cluster.startService('pipelines', {
    IDENTITY_ADDRESS: identity.ready,
    PIPELINES_DATABASE_URL: database.url,
    PIPELINES_CONCURRENT_RUNS: '100',
    PIPELINES_MICROS_PER_STEP_SECOND: '0',
    BILLING_ADDRESS: '127.0.0.1:1',
    CONTENT_ADDRESS: '127.0.0.1:1',
    OBJECTS_DIRECTORY: join(directory, 'objects'),
    OBJECTS_KEY: 'a secret of the benchmark',
    PLATFORM_PUBLIC_URL: url,
    ...(notebooks && { NOTEBOOKS_ADDRESS: notebooks.ready }),
    ...settings,
  });
  const gateway = await cluster.startService('gateway', {
    ...gatewayEnvironment(),
    ...issuer.environment,
    PLATFORM_PORT: port,
    IDENTITY_ADDRESS: identity.ready,
    PIPELINES_ADDRESS: pipelines.ready,
  });
  const headers = { authorization: `Bearer ${await issuer.token()}`, 'content-type': 'application/json' };

  const call: PipelinesCluster['call'] = async (method, path, body) => {
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return response;
  };
  // What is answered is known to whoever asks.
  const answer = async <Body>(...request: Parameters<typeof call>): Promise<Body> =>
    (await (await call(...request)).json()) as Body;

  return {
    database,
    directory,
    call,
    answer,
    async newPipeline(steps) {
      const wanted = { name: 'bench', steps, step_order: 'LISTED', max_concurrent_runs: 100 };
      return (await answer<{ id: string }>('POST', '/pipelines/', wanted)).id;
    },
    ended: endedRuns(database.admin),
    cpu: () => ({
      service: familyCpu(pipelines.pid),
      postgres: familyCpu(database.postmaster),
      nats: processCpu(nats.pid()),
    }),
    kernelsCpu: () => (notebooks ? descendantsCpu(notebooks.pid) : 0),
    countWholeCpu: () => countTreeCpu([gateway.pid, pipelines.pid, database.postmaster, nats.pid()]),
    stop: cluster.stop,
  };
}
