/** A process that orchestrates runs of three steps that do nothing, whenever its parent tells it to. */
import { newId, newUlid, serviceActorContext, systemClock } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { createMetrics } from '@platform-backend/core/metrics';
import { openEventBus, openWorkQueue, startRelay } from '@platform-backend/events';
import { openOrchestration } from '@platform-backend/pipelines/orchestration';
import { createPipeline, type PipelineSettings } from '@platform-backend/pipelines/pipeline';
import { pipelinesStore } from '@platform-backend/pipelines/pipelines-store';
import { rememberedVersions } from '@platform-backend/pipelines/remembered-versions';
import { openDatabase, postgresOutbox } from '@platform-backend/postgres';
import { repeat } from '@platform-backend/service';
import pg from 'pg';
import { endedRuns } from './ended-runs.ts';
import { runsFor, timesOf, type RunLoad, type Throughput, type Times } from './run-load.ts';

export interface OrchestratorOptions {
  readonly databaseUrl: string;
  readonly adminUrl: string;
  readonly natsUrl: string;
}

/** What the parent asks for: as many runs as can be for so long, or so many of them one at a time. */
export type OrchestratorTask =
  | ({ readonly kind: 'runs' } & RunLoad)
  | { readonly kind: 'times'; readonly runs: number };

export type OrchestratorOutcome = Throughput | Times | { readonly failure: string };

const SLOTS = 32;
/** Of one pipeline the contract allows no more at the same time. */
const CONCURRENT_RUNS = 100;
const SWEEP_MS = 5_000;

process.once('message', (options: OrchestratorOptions) => {
  const working = start(options);
  process.on('message', (task: OrchestratorTask) => {
    working
      .then((work) => work(task))
      .then(answer, (error: unknown) =>
        answer({ failure: error instanceof Error ? String(error.stack) : String(error) }),
      );
  });
});
process.once('disconnect', () => process.exit(0));

const answer = (outcome: OrchestratorOutcome): void => void process.send?.(outcome);

/** Everything that the service has for runs, with its defaults: events are published meanwhile, and sweeps go on. */
async function start({ databaseUrl, adminUrl, natsUrl }: OrchestratorOptions) {
  const [service, clock] = ['pipelines', systemClock];
  const logger = createLogger({ service, level: 'warn', destination: process.stderr });
  const database = openDatabase({ url: databaseUrl, applicationName: service, logger });
  const bus = openEventBus({ servers: natsUrl, name: service, logger });
  startRelay({ outbox: postgresOutbox(database), bus, logger, metrics: createMetrics() });
  const pipelines = pipelinesStore(database, () => Promise.resolve());
  const { app, keeping, work } = openOrchestration({
    database,
    queue: openWorkQueue({ bus, logger, service, name: 'steps' }),
    kernelQueue: openWorkQueue({ bus, logger, service, name: 'kernel-steps' }),
    pipelines,
    findVersion: rememberedVersions(pipelines),
    executeStep: () => Promise.resolve({ outcome: 'SUCCEEDED', made: [], inputVersionIds: [], seconds: 0 }),
    recordOutputs: () => Promise.resolve([]),
    countScheduledRuns: () => Promise.resolve(),
    // Nothing costs anything here, so that nobody is asked.
    credits: {
      hold: () => Promise.resolve(),
      extend: () => Promise.resolve(),
      release: () => Promise.resolve(),
      debit: () => {
        throw new Error('nothing costs anything');
      },
    },
    datasets: { findVersions: () => Promise.resolve([]), findMany: () => Promise.resolve(new Map()) },
    kernels: undefined,
    microsPerStepSecond: 0n,
    slots: SLOTS,
    kernelSlots: SLOTS,
    maxOfOrganisation: CONCURRENT_RUNS,
    retentionDays: 365,
    clock,
    logger,
  });
  work();
  repeat({ name: 'the sweep of runs', everyMs: SWEEP_MS, run: () => keeping.sweep() }, { logger });

  const by = serviceActorContext(service, newUlid('org_'), newId());
  const created = createPipeline(newId(), settings, { id: newId(), stepIds, stepOrder: 'LISTED', steps }, clock.now());
  const { pipeline } = await pipelines.add(by, created);
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const ended = endedRuns(admin);
  const startRun = async (): Promise<string> => {
    const { run } = await app.start(by, { runId: newId(), pipelineId: pipeline.id, trigger: 'API' });
    return run.id;
  };
  return (task: OrchestratorTask): Promise<OrchestratorOutcome> =>
    task.kind === 'runs' ? runsFor(startRun, ended, task) : timesOf(startRun, ended, task.runs);
}

const settings: PipelineSettings = {
  ...{ name: 'empty', description: '', referenceNotes: '', cronSchedule: null, timeZone: 'UTC' },
  ...{
    scheduleEnabled: true,
    scheduleParameters: {},
    overlap: 'BUFFER_ONE',
    runsOnNewData: false,
    maxConcurrentRuns: CONCURRENT_RUNS,
    runTimeLimitSeconds: 3600,
    tags: [],
    notificationSettings: [],
    notifyOn: 'FAILURE',
  },
};

const steps = ['first', 'second', 'third'].map((name) => ({
  name,
  config: {
    queryType: 'SQL' as const,
    query: 'SELECT 1',
    parameters: {},
    rowLimit: null,
    outputMode: 'OVERWRITE' as const,
    mergeKeys: [],
    http: null,
    llm: null,
    pipelineVersionId: null,
    when: [],
    forEach: null,
    retryPolicy: null,
    inputDatasets: [],
    outputDatasets: [],
    jobType: 'CHECK' as const,
    timeLimitSeconds: 60,
    memoryLimitMb: 256,
  },
}));
const stepIds = steps.map(() => newId());
