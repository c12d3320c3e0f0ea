import { leaseJudge, newId, type Clock, type Logger } from '@platform-backend/core';
import type { Database } from '@platform-backend/postgres';
import type { Area } from '@platform-backend/service';
import type { CreditsExports } from '../credits/area.ts';
import type { Credits, Payer } from '../credits/domain/credits.ts';
import type { DatasetsExports } from '../datasets/area.ts';
import type { PipelinesExports } from '../pipelines/area.ts';
import type { PipelineVersion } from '../pipelines/domain/pipeline.ts';
import type { PipelinesContext, service } from '../service.ts';
import type { StepsExports } from '../steps/area.ts';
import { pipelineRunHandlers, runHandlers } from './api/run-handlers.ts';
import { runMessage } from './api/run-messages.ts';
import { childRuns, type ChildRunPorts } from './app/child-runs.ts';
import { enginesByRun } from './app/engines-by-run.ts';
import { executeStep } from './app/execute-step.ts';
import { runDebits } from './app/run-debits.ts';
import { observeRuns } from './app/run-metrics.ts';
import { runReconciler } from './app/run-reconciler.ts';
import { runReports } from './app/run-reports.ts';
import { runUseCases, type RunPorts, type StartedRun } from './app/runs.ts';
import { skipSteps } from './app/skip-steps.ts';
import { startRequestedRuns } from './app/start-requested-runs.ts';
import { argoEngine, type ArgoEngineOptions, type TakesRun } from './argo/argo-engine.ts';
import { openArgo } from './argo/open-argo.ts';
import { podJobs } from './argo/pod-jobs.ts';
import { WORKER_LEASE_MS } from './domain/limits.ts';
import type { Run } from './domain/run.ts';
import { embeddedEngine, type EmbeddedEngineOptions } from './embedded/embedded-engine.ts';
import { onDatasetUpdated } from './reactions/on-dataset-updated.ts';
import { workflowSettings } from './settings.ts';
import { onPipelineDue, requestRunsOnNewData, runRequestsStore } from './store/run-requests-store.ts';
import { dueStepsStore, runSweepsStore, runWorkersStore } from './store/run-sweeps-store.ts';
import { runsStore, type RunsStoreOptions } from './store/runs-store.ts';

const SWEEP_MS = 5_000;
/** A watch tells of most changes earlier. */
const LOOK_AT_WORKFLOWS_MS = 10_000;
/** Well within the time for which credits are set aside. */
const EXTEND_MS = 15_000;
const HOUR_MS = 60 * 60_000;

/** So many runs are shown with a pipeline. */
const LATEST_RUNS = 10;

export type RunsExports = Awaited<ReturnType<typeof runsArea>>['exports'];

interface RunsNeeds {
  /** Whoever waits for runs that have ended. */
  readonly onRunsEnded: (organisationId: string, ended: readonly Run[]) => unknown;
  readonly credits: CreditsExports;
  readonly datasets: DatasetsExports;
  readonly steps: StepsExports;
  readonly pipelines: PipelinesExports;
}

/** Runs: started by whoever asks or what is due, carried out by an engine, with what they made, logged and cost. */
export const runsArea = async (
  context: PipelinesContext,
  { credits, datasets, steps, pipelines, onRunsEnded }: RunsNeeds,
) => {
  const { storage, settings, clock, logger, metrics, queue, defer } = context;
  const { database } = storage;
  const workflow = workflowSettings(settings);
  const argo = await openArgo(settings, workflow, logger);
  const { app, sweeps, keeping, work } = openOrchestration({
    ...pipelines,
    ...credits,
    database,
    queue: queue('steps'),
    kernelQueue: queue('kernel-steps'),
    executeStep: executeStep({ ...datasets, ...steps, findVersion: pipelines.findVersion }),
    recordOutputs: datasets.recordRunOutputs,
    datasets: datasets.datasets,
    argo: argo && { ...argo, jobs: podJobs({ ...datasets, clock }) },
    kernels: steps.kernels,
    slots: settings.PIPELINES_STEP_PROCESSES,
    kernelSlots: settings.PIPELINES_KERNEL_STEPS,
    maxOfOrganisation: settings.PIPELINES_CONCURRENT_RUNS,
    retentionDays: settings.PIPELINES_RUN_RETENTION_DAYS,
    onRunsEnded,
    clock,
    logger,
  });
  observeRuns(metrics, sweeps, clock);
  const { following, stop } = work();
  defer(stop);
  const requested = { requests: runRequestsStore(database), app, clock, logger };
  /** What holds together runs that go on must not rest. */
  const untilDueMs = async (): Promise<number | undefined> => ((await sweeps.hasOpen()) ? 0 : undefined);
  const latest = { limit: LATEST_RUNS, cursor: '', includeTotal: false };
  return {
    handlers: { PipelineService: pipelineRunHandlers(app, workflow), RunService: runHandlers(app, workflow) },
    reactions: { 'pipelines-on-dataset-updated': onDatasetUpdated(requestRunsOnNewData) },
    jobs: [
      ...(following
        ? [{ name: 'the look at workflows', everyMs: LOOK_AT_WORKFLOWS_MS, run: () => following.sweep(), untilDueMs }]
        : []),
      { name: 'the sweep of runs', everyMs: SWEEP_MS, run: () => keeping.sweep(), untilDueMs },
      {
        name: 'the reservations of runs',
        everyMs: EXTEND_MS,
        run: (stopping) => keeping.extendReservations(stopping),
        untilDueMs,
      },
      { name: 'the removal of old logs', everyMs: HOUR_MS, run: () => keeping.removeLogs() },
      { name: 'the removal of old runs', everyMs: HOUR_MS, run: (stopping) => keeping.removeRuns(stopping) },
      {
        name: 'the start of runs that were asked for',
        everyMs: settings.PIPELINES_SCHEDULE_SECONDS * 1000,
        run: (stopping) => startRequestedRuns(requested, stopping),
        untilDueMs: () => requested.requests.untilDue(clock.now()),
      },
    ],
    exports: {
      async latestRuns(organisationId: string, pipelineId: string) {
        const { items } = await app.list(
          organisationId,
          pipelineId,
          { statuses: [], triggers: [], tags: [], order: 'desc' },
          latest,
        );
        return items.map((run) => runMessage(run, workflow));
      },
      onDue: onPipelineDue,
      startRun: (payer: Payer, wanted: StartedRun): Promise<unknown> => app.start(payer, wanted),
      /** Ends within seconds, if it goes on. */
      cancelRun: (organisationId: string, runId: string): Promise<void> => app.cancelChildren(organisationId, [runId]),
    },
  } satisfies Area<typeof service.declaration>;
};

export interface OrchestrationOptions
  extends
    Pick<EmbeddedEngineOptions, 'executeStep' | 'queue' | 'kernelQueue' | 'slots' | 'kernelSlots'>,
    Pick<RunPorts, 'pipelines' | 'findVersion' | 'kernels' | 'microsPerStepSecond'>,
    Pick<RunsStoreOptions, 'recordOutputs' | 'countScheduledRuns'> {
  readonly database: Database;
  readonly datasets: RunPorts['datasets'] & ChildRunPorts['datasets'];
  readonly credits: Credits;
  /** Undefined: there is none. `takes`: the other runs are the embedded engine's. */
  readonly argo?: (Pick<ArgoEngineOptions, 'cluster' | 'jobs' | 'workflow'> & { readonly takes: TakesRun }) | undefined;
  /** The name of this process among the workers: a UUID. A new one unless given. */
  readonly worker?: string;
  /** Runs of an organisation that go on at the same time. */
  readonly maxOfOrganisation: number;
  readonly retentionDays: number;
  readonly onRunsEnded?: RunsNeeds['onRunsEnded'];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Everything about runs but what their steps do, which may be nothing where only the rest is measured. */
export function openOrchestration(options: OrchestrationOptions) {
  const { database, clock, logger, maxOfOrganisation, retentionDays, credits, microsPerStepSecond } = options;
  // The engines need the runs, and what follows from a change needs the engines.
  const debitsOf = runDebits(credits, microsPerStepSecond);
  const runs = runsStore({ ...options, debitsOf, onChanged: (changed) => app.followUp(changed) });
  const sweeps = runSweepsStore(database, clock, maxOfOrganisation);
  const judge = leaseJudge(WORKER_LEASE_MS);
  const [workers, due] = [runWorkersStore(database), dueStepsStore(database)];
  const embedded = embeddedEngine({
    ...options,
    ...{ workers, due, judge, worker: options.worker ?? newId() },
    skipSteps: skipSteps({ ...options, runs }),
    tendChildren: (of) => children.tend(of),
  });
  const argo = options.argo && argoEngine({ ...options, ...options.argo, runs, sweeps });
  const engine = enginesByRun(argo ? [embedded, argo] : [embedded], logger);
  const engineFor = (organisationId: string, version: PipelineVersion): string =>
    (argo && options.argo.takes(organisationId, version) ? argo : embedded).name;
  const onEnded: RunPorts['onEnded'] = (organisationId, ended) => {
    void children.ended(organisationId, ended);
    options.onRunsEnded?.(organisationId, ended);
  };
  const app = runUseCases({ ...options, runs, engine, engineFor, onEnded });
  const children = childRuns({
    ...{ runs, sweeps, clock, logger, findVersion: options.findVersion, datasets: options.datasets },
    start: (payer, wanted) => app.start(payer, wanted),
    cancel: app.cancelChildren,
    submit: app.submit,
  });
  const reports = runReports({ runs, clock });
  return {
    app,
    runs,
    sweeps,
    keeping: runReconciler({
      runs,
      sweeps,
      engine,
      credits,
      app,
      children,
      judge,
      retentionDays,
      clock,
      logger,
    }),
    /** Takes steps from the queue, and follows workflows, until it is stopped. */
    work: () => {
      const working = embedded.work(reports);
      const following = argo?.work(reports);
      return {
        following,
        stop: async () => {
          await Promise.all([working.stop(), following?.stop()]);
        },
      };
    },
  };
}
