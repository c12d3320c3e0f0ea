import { newNotifications, recipientsOf, type Notification } from '../../notifications/domain/notification.ts';
import type { Pipeline } from '../../pipelines/domain/pipeline.ts';
import type { WebhookEvent } from '../../webhooks/domain/webhook-delivery.ts';
import type { Run, RunTrigger } from './run.ts';

/** What is to be known of a pipeline to tell how a run of it has ended. */
export type NotifyingPipeline = Pick<Pipeline, 'name' | 'notificationSettings' | 'notifyOn' | 'pausedReason'>;

const STARTED_BY: Readonly<Record<RunTrigger, string>> = {
  API: 'somebody',
  SCHEDULE: 'its schedule',
  EVENT: 'new data',
  TASK: 'an assistant',
  RETRY: 'somebody, as another try',
  PIPELINE: 'another run',
  BACKFILL: 'a backfill',
};

const isFailed = ({ status }: Run): boolean => status === 'Failed' || status === 'Error';

/** Whether anybody hears of how it has ended. */
export const isTold = ({ notifyOn }: NotifyingPipeline, run: Run): boolean => notifyOn === 'FINISH' || isFailed(run);

/** What webhooks are told of the end of a run. */
export const runEvent = ({ name }: NotifyingPipeline, run: Run, at: Date): WebhookEvent => ({
  type: 'run.finished',
  at,
  data: {
    run_id: run.id,
    pipeline_id: run.pipelineId,
    pipeline_name: name,
    version_id: run.versionId,
    status: run.status,
    message: run.message,
    trigger: run.trigger,
    tags: run.tags,
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: (run.finishedAt ?? at).toISOString(),
  },
});

/** Whoever has to be written to about the end of a run, and what. */
export function runNotifications(
  pipeline: NotifyingPipeline,
  run: Run,
  newId: () => string,
  at: Date,
): readonly Notification[] {
  const { status } = run;
  if (!isTold(pipeline, run)) return [];
  const hasFailed = isFailed(run);
  const title = `${pipeline.name}: ${hasFailed ? 'failed' : status === 'Cancelled' ? 'cancelled' : 'done'}`;
  const text = run.message === '' ? `All of its ${run.steps.length} steps have succeeded.` : run.message;
  const origin = `\n\nRun ${run.id}, started by ${STARTED_BY[run.trigger]} at ${run.createdAt.toISOString()}.`;
  const paused = pipeline.pausedReason === null ? '' : `\n\nIts schedule is paused: ${pipeline.pausedReason}.`;
  return newNotifications(
    recipientsOf(pipeline.notificationSettings),
    { title, text, after: origin + paused },
    newId,
    at,
  );
}
