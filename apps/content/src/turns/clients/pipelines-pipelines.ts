import type {
  PipelineRun as RunMessage,
  PipelineServiceClient,
  RunServiceClient,
} from '@platform-backend/contract-pipelines';
import { forbidden } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import type { PipelineRun, Pipelines } from '../domain/pipelines.ts';
import { findById, pipelinesCall } from './pipelines-call.ts';

const timeoutMs = 10_000;

/** Pipelines over gRPC, called on content's own authority for the organisation. */
export const pipelinesPipelines = (
  pipelines: Pick<PipelineServiceClient<CallOptions>, 'getPipeline' | 'listPipelines'>,
  runs: Pick<RunServiceClient<CallOptions>, 'getRun' | 'startTaskRun'>,
): Pipelines => ({
  find: (by, id) => findById(id, () => pipelines.getPipeline({ pipelineId: id }, pipelinesCall(by, timeoutMs))),

  list: async (by, limit) => (await pipelines.listPipelines({ limit }, pipelinesCall(by, timeoutMs))).pipelines,

  async start(by, pipelineId, taskId) {
    const { userId, level } = by.actor;
    if (userId === null || level === null) throw forbidden();
    const clientGroupId = by.clientGroupId ?? '';
    const request = { pipelineId, taskId, userId, permissionLevel: level, clientGroupId };
    return runOf(await runs.startTaskRun(request, pipelinesCall(by, timeoutMs)));
  },

  readRun: async (by, pipelineId, runId) =>
    runOf(await runs.getRun({ pipelineId, runId }, pipelinesCall(by, timeoutMs))),
});

const runOf = ({ id, status, finishedAt, message, runSteps, pipelineVersion }: RunMessage): PipelineRun => ({
  id,
  status: status ?? '',
  isOver: Boolean(finishedAt),
  message,
  steps: runSteps.map((step) => ({ name: step.name, status: step.status ?? '', message: step.message })),
  makes: pipelineVersion?.steps.flatMap(({ config }) => config?.outputDatasets ?? []) ?? [],
});
