import { generateServiceKeys } from '@platform-backend/auth';
import type {
  BackfillServiceClient,
  ConnectionServiceClient,
  DatasetFileServiceClient,
  DatasetServiceClient,
  PipelineServiceClient,
  RunServiceClient,
  TaskTemplateServiceClient,
  WebhookServiceClient,
} from '@platform-backend/contract-pipelines';
import type { CallOptions } from '@platform-backend/grpc';
import { startTestService, type Callers, type TestServiceOptions } from '@platform-backend/service/testing';
import { runDirectory } from '@platform-backend/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compose } from '../src/areas.ts';
import { service } from '../src/service.ts';
import { watchQueries } from './watched-queries.ts';

/** The whole service on a database of its own, with clients as the gateway has them. */
export type TestPipelines = Awaited<ReturnType<typeof startTestPipelines>>;

export const keys = await generateServiceKeys(['gateway', 'pipelines', 'content', 'notebooks', 'identity', 'billing']);

interface TestPipelinesOptions extends TestServiceOptions {
  /** Stopping fails when the service has sent a query without an index; for tests that send none of their own. */
  readonly areQueriesExplained?: true;
}

export async function startTestPipelines({ areQueriesExplained, ...options }: TestPipelinesOptions = {}) {
  const directory = mkdtempSync(join(runDirectory(), 'objects-'));
  const environment = { ...objectsIn(directory), ...free, ...options.environment };
  const { frame, ...running } = await startTestService(service, compose, keys, { ...options, environment });
  if (!frame) throw new Error('it was started elsewhere');
  const queries = areQueriesExplained && watchQueries(frame.storage.database);
  const stop = async () => {
    const unindexed = (await queries?.unindexed(running.database.appUrl)) ?? [];
    await running.stop();
    if (unindexed.length > 0) throw new Error(`queries without an index for them:\n${unindexed.join('\n')}`);
    rmSync(directory, { recursive: true, force: true });
  };
  return {
    ...clientsOf(running.calledBy('gateway')),
    ...running,
    frame,
    pool: frame.storage.database,
    /** Where the bytes of datasets are. */
    directory,
    stop,
  };
}

/** Nobody is asked for credits, and secrets can be kept. */
const free = { PIPELINES_MICROS_PER_STEP_SECOND: '0', SECRETS_KEY: 'one more secret of the tests' };

export const objectsIn = (directory: string) => ({
  OBJECTS_DIRECTORY: directory,
  OBJECTS_KEY: 'a secret of the tests',
  PLATFORM_PUBLIC_URL: 'https://api.example.com',
});

export const clientsOf = ({ to }: Callers) => ({
  connections: to<ConnectionServiceClient<CallOptions>>('ConnectionService'),
  datasets: to<DatasetServiceClient<CallOptions>>('DatasetService'),
  datasetFiles: to<DatasetFileServiceClient<CallOptions>>('DatasetFileService'),
  pipelines: to<PipelineServiceClient<CallOptions>>('PipelineService'),
  runs: to<RunServiceClient<CallOptions>>('RunService'),
  taskTemplates: to<TaskTemplateServiceClient<CallOptions>>('TaskTemplateService'),
  webhooks: to<WebhookServiceClient<CallOptions>>('WebhookService'),
  backfills: to<BackfillServiceClient<CallOptions>>('BackfillService'),
});
