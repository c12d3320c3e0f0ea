import type { CreditServiceClient } from '@platform-backend/contract-billing';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import type { ServiceContext, PeriodicJob } from '@platform-backend/service';
import { pipelineHandlers } from '../pipelines/api/pipeline-handlers.ts';
import { pipelineUseCases } from '../pipelines/app/pipelines.ts';
import { rememberedVersions } from '../pipelines/app/remembered-versions.ts';
import { scheduleSpecOf } from '../pipelines/domain/pipeline.ts';
import { countScheduledRuns, pipelinesStore, type SetPipelineSchedule } from '../pipelines/store/pipelines-store.ts';
import { runHandlers } from '../runs/api/run-handlers.ts';
import { executeStep, type ExecuteStepPorts } from '../runs/app/execute-step.ts';
import type { RunPorts } from '../runs/app/runs.ts';
import { startRequestedRuns } from '../runs/app/start-requested-runs.ts';
import { billingCredits } from '../runs/clients/billing-credits.ts';
import { recordOutputs } from '../runs/store/run-output-rows.ts';
import { requestRun, runRequestsStore } from '../runs/store/run-requests-store.ts';
import type { OnDue } from '../schedules/store/schedules-store.ts';
import type { service } from '../service.ts';
import type { CheckPorts } from '../steps/app/check-steps.ts';
import { trySteps, type TryPorts } from '../steps/app/try-steps.ts';
import { composeArgo, type PodObjects } from './compose-argo.ts';
import { scheduling } from './compose-schedules.ts';
import { openOrchestration } from './orchestration.ts';
import { workflowSettings } from './run-settings.ts';

/** What pipelines need of datasets. */
export type DatasetParts = CheckPorts &
  PodObjects &
  Pick<ExecuteStepPorts, 'runDatasetStep' | 'runKernelStep'> &
  Pick<RunPorts, 'kernels'> &
  Pick<TryPorts, 'runProgram'>;

const SWEEP_MS = 5_000;
/** A watch tells of most changes earlier. */
const LOOK_AT_WORKFLOWS_MS = 10_000;
/** Well within the time for which credits are set aside. */
const SETTLE_MS = 15_000;
const HOUR_MS = 60 * 60_000;

/** Pipelines and their runs: their handlers, and what goes on beside the calls. */
export async function composePipelines(frame: ServiceContext<typeof service.declaration>, datasets: DatasetParts) {
  const { storage, settings, clock, logger, client, queue, defer } = frame;
  const { database } = storage;
  const setSchedule = pipelineSchedule(() => clock.now());
  const pipelines = pipelinesStore(database, setSchedule);
  const findVersion = rememberedVersions(pipelines);
  const orchestration = openOrchestration({
    database,
    queue: queue('steps'),
    pipelines,
    findVersion,
    executeStep: executeStep({ ...datasets, findVersion }),
    recordOutputs,
    countScheduledRuns: countScheduledRuns(setSchedule),
    argo: await composeArgo(frame, datasets, findVersion),
    credits: billingCredits(client<CreditServiceClient<CallOptions>>('platform.billing.v1.CreditService')),
    kernels: datasets.kernels,
    microsPerStepSecond: BigInt(settings.PIPELINES_MICROS_PER_STEP_SECOND),
    places: settings.PIPELINES_STEP_PROCESSES,
    mostOfOrganisation: settings.PIPELINES_CONCURRENT_RUNS,
    clock,
    logger,
  });
  const { app, runs, keeping } = orchestration;
  const { following, stop } = orchestration.work();
  defer(stop);

  const requested = { requests: runRequestsStore(database), app, clock, logger };
  const look = following && {
    name: 'the look at workflows',
    everyMs: LOOK_AT_WORKFLOWS_MS,
    run: () => following.sweep(),
  };
  const repeated: readonly PeriodicJob[] = [
    ...(look ? [look] : []),
    { name: 'the sweep of runs', everyMs: SWEEP_MS, run: () => keeping.sweep() },
    { name: 'the settlement of runs', everyMs: SETTLE_MS, run: () => keeping.settleCharges() },
    { name: 'the removal of old logs', everyMs: HOUR_MS, run: () => keeping.removeLogs() },
    {
      name: 'the start of runs that were asked for',
      everyMs: settings.PIPELINES_SCHEDULE_SECONDS * 1000,
      run: (stopping) => startRequestedRuns(requested, stopping),
    },
  ];
  const workflow = workflowSettings(settings);
  const { timetable } = scheduling;
  const handlers = {
    PipelineService: pipelineHandlers({
      app: pipelineUseCases({ ...datasets, pipelines, runs, timetable, clock, newId }),
      runs: app,
      trySteps: trySteps({ ...datasets, clock }),
      workflow,
    }),
    RunService: runHandlers(app, workflow),
  };
  /** A pipeline that is due runs under an id of its own. */
  const onDue: OnDue = (trx, by, { ownerId, dueAt }) =>
    requestRun(trx, by, { id: newId(), pipelineId: ownerId, trigger: 'SCHEDULE' }, dueAt);
  return { handlers, repeated, onDue };
}

const pipelineSchedule =
  (now: () => Date): SetPipelineSchedule =>
  (trx, organisationId, pipeline) =>
    scheduling.setSchedule(trx, organisationId, { kind: 'PIPELINE', id: pipeline.id }, scheduleSpecOf(pipeline), now());
