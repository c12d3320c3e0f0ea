import type { PipelineRunInput, RunStepInput } from '@platform-backend/contract-pipelines';
import { notificationMessage } from '../../notifications/api/notification-messages.ts';
import { versionMessage } from '../../pipelines/api/pipeline-messages.ts';
import type { ShownRun, ToldRun } from '../app/runs.ts';
import type { Run } from '../domain/run.ts';
import type { WholeRun } from '../domain/runs.ts';
import { workflowManifest, type WorkflowSettings } from '../domain/workflow-manifest.ts';
import { workflowMetadata } from '../domain/workflow-metadata.ts';

/** What only one who reads a run alone is told, and a list is not. */
type ToldAlone = Pick<ShownRun, 'queuePosition' | 'message'> & Partial<Pick<ToldRun, 'notifications'>>;

export const runMessage = (whole: WholeRun, workflow: WorkflowSettings, alone?: ToldAlone): PipelineRunInput => ({
  ...basicRunMessage(whole, alone),
  workflowManifest: workflowManifest(
    whole.run,
    whole.version,
    workflow,
  ) as unknown as PipelineRunInput['workflowManifest'],
  workflowMetadata: workflowMetadata(whole.run) as PipelineRunInput['workflowMetadata'],
  pipelineVersion: versionMessage(whole.version),
});

/** Without what takes most of the room: the workflow, and the steps of the version. */
export const basicRunMessage = (
  { run, version }: WholeRun,
  { queuePosition, message, notifications = [] }: ToldAlone = { queuePosition: null, message: run.message },
): PipelineRunInput => ({
  id: run.id,
  pipelineConfigVersionId: run.versionId,
  name: run.name,
  status: run.status,
  workflowManifest: {},
  workflowMetadata: {},
  pipelineVersion: { ...versionMessage(version), steps: [] },
  createdAt: run.createdAt,
  finishedAt: run.finishedAt,
  runSteps: stepMessages(run),
  trigger: run.trigger,
  retryOfRunId: run.retryOfRunId,
  parentRun: run.parent && { pipelineId: run.parent.pipelineId, runId: run.parent.runId },
  backfillId: run.backfillId,
  startedAt: run.startedAt,
  message,
  queuePosition,
  timeLimitSeconds: run.timeLimitSeconds,
  tags: run.tags,
  parameters: run.parameters,
  notifications: notifications.map(notificationMessage),
});

export const stepMessages = (run: Run): RunStepInput[] =>
  run.steps.map(({ name, status, startedAt, finishedAt, message }) => ({
    name,
    runName: run.name,
    status,
    startedAt,
    finishedAt,
    message,
  }));
