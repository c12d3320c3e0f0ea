import type { PipelinesEvent } from '../../events.ts';
import type { Run, RunStep } from './run.ts';

export const runStarted = (run: Run, at: Date): PipelinesEvent<'run.started'> => ({
  name: 'run.started',
  subject: run.id,
  at,
  data: { run_id: run.id, pipeline_id: run.pipelineId, version_id: run.versionId, trigger: run.trigger },
  change: {
    before: null,
    after: {
      pipeline_id: run.pipelineId,
      version_id: run.versionId,
      trigger: run.trigger,
      ...(run.tags.length > 0 && { tags: run.tags }),
      ...(run.retryOfRunId !== null && { retry_of_run_id: run.retryOfRunId }),
    },
  },
});

export const stepFinished = (run: Run, step: RunStep, at: Date): PipelinesEvent<'run.step_finished'> => ({
  name: 'run.step_finished',
  subject: run.id,
  at,
  data: {
    run_id: run.id,
    pipeline_id: run.pipelineId,
    step: step.name,
    status: step.status,
    attempts: step.attempt,
  },
});

export const runFinished = (run: Run, at: Date): PipelinesEvent<'run.finished'> => ({
  name: 'run.finished',
  subject: run.id,
  at,
  data: {
    run_id: run.id,
    pipeline_id: run.pipelineId,
    status: run.status,
    message: run.message,
    trigger: run.trigger,
  },
});

/** Members find it in the audit log, as they do who has started the run; how it ends follows from it. */
export const runCancelled = (run: Run, at: Date): PipelinesEvent<'run.cancelled'> => ({
  name: 'run.cancelled',
  subject: run.id,
  at,
  data: { run_id: run.id, pipeline_id: run.pipelineId },
  change: { before: { status: run.status }, after: { status: 'Cancelling' } },
});
