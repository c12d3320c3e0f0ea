import { newNotifications, recipientsOf, type Notification } from '../../notifications/domain/notification.ts';
import type { Pipeline } from '../../pipelines/domain/pipeline.ts';
import type { Run, RunTrigger } from './run.ts';

/** What is to be known of a pipeline to tell how a run of it has ended. */
export type NotifyingPipeline = Pick<Pipeline, 'name' | 'notificationSettings' | 'notifyOn' | 'pausedReason'>;

const STARTED_BY: Readonly<Record<RunTrigger, string>> = {
  API: 'somebody',
  SCHEDULE: 'its schedule',
  EVENT: 'new data',
  TASK: 'an assistant',
  RETRY: 'somebody, as another try',
};

/** Whoever has to hear of the end of a run, and what. */
export function runNotifications(
  pipeline: NotifyingPipeline,
  run: Run,
  newId: () => string,
  at: Date,
): readonly Notification[] {
  const { status } = run;
  const hasFailed = status === 'Failed' || status === 'Error';
  if (pipeline.notifyOn === 'FAILURE' && !hasFailed) return [];
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
