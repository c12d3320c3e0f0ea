import type { PipelineRun, RunServiceClient } from '@platform-backend/contract-pipelines';
import type { CallOptions } from '@platform-backend/grpc';
import { pipelinesCall } from '../../turns/clients/pipelines-call.ts';
import { runNotFinished } from '../domain/errors.ts';
import type { ReadRun } from '../domain/reports.ts';
import type { FinishedRun } from '../domain/run-report.ts';

const timeoutMs = 5_000;

/** Pipelines over gRPC, called on content's own authority for the organisation. */
export const pipelinesRuns =
  (client: Pick<RunServiceClient<CallOptions>, 'getRun'>): ReadRun =>
  async (by, { pipelineId, runId }) =>
    endedRun(await client.getRun({ pipelineId, runId }, pipelinesCall(by, timeoutMs)));

function endedRun({
  name,
  status,
  message,
  startedAt,
  finishedAt,
  runSteps,
  pipelineVersion,
}: PipelineRun): FinishedRun {
  if (!finishedAt) throw runNotFinished();
  const makes = new Map(pipelineVersion?.steps.map((step) => [step.name, step.config?.outputDatasets ?? []]));
  return {
    name,
    status: status ?? '',
    message,
    startedAt,
    finishedAt,
    steps: runSteps.map((step) => ({
      name: step.name,
      status: step.status ?? '',
      message: step.message,
      startedAt: step.startedAt,
      finishedAt: step.finishedAt,
      makes: makes.get(step.name) ?? [],
    })),
  };
}
