/** The platform as far as pipelines need it, behind its gateway, with nothing kept afterwards. */
import { generateServiceKeys } from '@platform-backend/auth';
import { freePort } from '@platform-backend/embedded';
import { setUpStreams } from '@platform-backend/events/set-up';
import { startTestIdentityProvider, throwawayNats } from '@platform-backend/testing';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { familyCpu, processCpu } from '../process-cpu.ts';
import { processStarter } from '../start-process.ts';
import { benchDirectory } from './bench-directory.ts';
import { durablePostgres, type DurableDatabase } from './durable-postgres.ts';
import { endedRuns } from './ended-runs.ts';
import type { ProcessTimes } from './run-load.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const PIPELINES = join(ROOT, 'apps/pipelines/src/main.ts');

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
  stop(): Promise<void>;
}

/** The gateway asks a stand-in for identity, which knows every caller; nothing costs credits. */
export async function startPipelinesCluster(profiling: readonly string[]): Promise<PipelinesCluster> {
  const directory = benchDirectory();
  const database = await durablePostgres(directory.path, PIPELINES);
  const nats = await throwawayNats();
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(20_000) });
  const issuer = await startTestIdentityProvider();
  const { privateKeys, publicKeys } = await generateServiceKeys(['gateway', 'pipelines']);
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;

  const start = processStarter(directory.path);
  const identity = await start('identity', [join(ROOT, 'bench/src/stub/main.ts')], {});
  const shared = {
    NATS_URL: nats.url,
    SERVICE_PUBLIC_KEYS: JSON.stringify(publicKeys),
    IDENTITY_ADDRESS: identity.ready,
  };
  const pipelines = await start('pipelines', [...profiling, PIPELINES], {
    ...shared,
    PIPELINES_LISTEN: '127.0.0.1:0',
    PIPELINES_DATABASE_URL: database.url,
    PIPELINES_CONCURRENT_RUNS: '100',
    PIPELINES_MICROS_PER_STEP_SECOND: '0',
    BILLING_ADDRESS: '127.0.0.1:1',
    CONTENT_ADDRESS: '127.0.0.1:1',
    OBJECTS_DIRECTORY: join(directory.path, 'objects'),
    OBJECTS_KEY: 'a secret of the benchmark',
    PLATFORM_PUBLIC_URL: url,
    SERVICE_PRIVATE_KEY: JSON.stringify(privateKeys['pipelines']),
  });
  const gateway = await start('gateway', [...profiling, join(ROOT, 'apps/gateway/src/main.ts')], {
    ...shared,
    PLATFORM_PORT: String(port),
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_METRICS_PORT: '0',
    // One credential sends all of the load.
    GATEWAY_CALLER_BURST: '2000000000',
    PIPELINES_ADDRESS: pipelines.ready,
    OIDC_ISSUER: issuer.issuer,
    OIDC_AUDIENCE: issuer.audience,
    OIDC_JWKS_URL: issuer.jwksUrl,
    SERVICE_PRIVATE_KEY: JSON.stringify(privateKeys['gateway']),
    CURSOR_KEY: randomBytes(32).toString('base64url'),
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
    directory: directory.path,
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
    async stop() {
      await gateway.stop();
      await pipelines.stop();
      await identity.stop();
      await issuer.stop();
      await nats.drop();
      await database.stop();
      directory.remove();
    },
  };
}
