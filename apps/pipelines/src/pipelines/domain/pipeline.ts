import { decided, changedFields, unchanged, type Decision, type Fields } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import {
  recipientCount,
  requireRecipients,
  type NotificationSetting,
} from '../../notifications/domain/notification.ts';
import { countEnd, enabledAnew, type PausingSchedule } from '../../schedules/domain/pausing.ts';
import type { ScheduleSpec } from '../../schedules/domain/schedule.ts';
import { normalised, type Parameter, type ParameterValues } from '../../steps/domain/parameters.ts';
import type { NewStep, Step, StepOrder } from '../../steps/domain/step.ts';
import { pipelineArchived } from './errors.ts';
import { tagsOf } from './tags.ts';

/** What becomes of a time of its schedule while runs of that are not over. */
export type PipelineOverlap = 'SKIP' | 'BUFFER_ONE' | 'ALLOW' | 'CANCEL_OTHER';

/** Which ends of its runs are told. */
export type NotifyOn = 'FAILURE' | 'FINISH';

export interface Pipeline extends PausingSchedule {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly referenceNotes: string;
  /** Null: it runs when somebody starts it. */
  readonly cronSchedule: string | null;
  readonly timeZone: string;
  readonly overlap: PipelineOverlap;
  readonly runsOnNewData: boolean;
  readonly maxConcurrentRuns: number;
  /** Of runs that are started from now on. */
  readonly runTimeLimitSeconds: number;
  /** Words by which it and its runs are found. */
  readonly tags: readonly string[];
  /** Who is told how runs end that are started from now on. */
  readonly notificationSettings: readonly NotificationSetting[];
  readonly notifyOn: NotifyOn;
  /** What runs are started with that its schedule or new data start. */
  readonly scheduleParameters: ParameterValues;
  readonly archived: boolean;
  readonly currentVersionId: string | null;
  readonly versionCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Published, and never changed afterwards. */
export interface PipelineVersion {
  readonly id: string;
  readonly pipelineId: string;
  readonly number: number;
  readonly stepOrder: StepOrder;
  /** What its runs are started with beside datasets. */
  readonly parameters: readonly Parameter[];
  readonly steps: readonly Step[];
  readonly createdAt: Date;
}

export type PipelineSettings = Pick<
  Pipeline,
  | 'name'
  | 'description'
  | 'referenceNotes'
  | 'cronSchedule'
  | 'timeZone'
  | 'scheduleEnabled'
  | 'overlap'
  | 'runsOnNewData'
  | 'maxConcurrentRuns'
  | 'runTimeLimitSeconds'
  | 'tags'
  | 'notificationSettings'
  | 'notifyOn'
  | 'scheduleParameters'
>;

/** What is published: steps in an order, under ids chosen before. */
export interface VersionInput {
  readonly id: string;
  readonly stepIds: readonly string[];
  readonly stepOrder: StepOrder;
  readonly parameters?: readonly Parameter[];
  readonly steps: readonly NewStep[];
}

/** A pipeline, with the version that was just published. */
export interface PublishedPipeline {
  readonly pipeline: Pipeline;
  readonly published: PipelineVersion | undefined;
}

export function createPipeline(
  id: string,
  settings: PipelineSettings,
  wanted: VersionInput | undefined,
  at: Date,
): Decision<PublishedPipeline, PipelinesEvent> {
  requireRecipients(settings.notificationSettings);
  const pipeline: Pipeline = {
    ...settings,
    tags: tagsOf(settings.tags),
    id,
    archived: false,
    currentVersionId: null,
    versionCount: 0,
    pausedReason: null,
    failuresInRow: 0,
    createdAt: at,
    updatedAt: at,
  };
  const created: PipelinesEvent<'pipeline.created'> = {
    name: 'pipeline.created',
    subject: id,
    at,
    data: { pipeline_id: id, name: settings.name },
    change: { before: null, after: shown(pipeline) },
  };
  if (!wanted) {
    const state = { pipeline, published: undefined };
    return decided(state, created);
  }
  const { state, events } = publishVersion(pipeline, wanted, at);
  return decided(state, [created, ...events]);
}

/** Makes steps the current version. CONFLICT: archived. */
export function publishVersion(
  pipeline: Pipeline,
  wanted: VersionInput,
  at: Date,
): Decision<PublishedPipeline & { published: PipelineVersion }, PipelinesEvent> {
  if (pipeline.archived) throw archivedPipeline();
  const number = pipeline.versionCount + 1;
  const published: PipelineVersion = {
    id: wanted.id,
    pipelineId: pipeline.id,
    number,
    stepOrder: wanted.stepOrder,
    parameters: normalised(wanted.parameters ?? []),
    steps: wanted.steps.map((step, position) => ({ ...step, id: wanted.stepIds[position] ?? '', createdAt: at })),
    createdAt: at,
  };
  const after = { ...pipeline, currentVersionId: published.id, versionCount: number, updatedAt: at };
  const event: PipelinesEvent<'pipeline.version_published'> = {
    name: 'pipeline.version_published',
    subject: pipeline.id,
    at,
    data: { pipeline_id: pipeline.id, version_id: published.id, number, step_count: published.steps.length },
    change: {
      before: { current_version_id: pipeline.currentVersionId },
      after: { current_version_id: published.id, number, steps: published.steps.map(({ name }) => name) },
    },
  };
  const state = { pipeline: after, published };
  return decided(state, event);
}

/** Changes the fields given; the same values again change nothing and are no event. */
export function changePipeline(
  pipeline: Pipeline,
  wanted: Partial<PipelineSettings>,
  at: Date,
): Decision<Pipeline, PipelinesEvent> {
  requireRecipients(wanted.notificationSettings ?? []);
  const tags = tagsOf(wanted.tags ?? pipeline.tags);
  return updated(pipeline, enabledAnew(pipeline, { ...pipeline, ...wanted, tags }), at);
}

/** Counts how runs of its schedule end, and pauses that after too many that failed one after the other. */
export function countScheduledRun(
  pipeline: Pipeline,
  hasSucceeded: boolean,
  at: Date,
): Decision<Pipeline, PipelinesEvent> {
  const counted = countEnd(pipeline, hasSucceeded, 'runs of it');
  return counted.scheduleEnabled === pipeline.scheduleEnabled ? unchanged(counted) : updated(pipeline, counted, at);
}

/** When it is due; null: only when somebody asks for it. Of what was missed the latest is made up for. */
export function scheduleSpecOf(pipeline: Pipeline): ScheduleSpec | null {
  const { archived, cronSchedule, scheduleEnabled, currentVersionId, timeZone } = pipeline;
  if (archived || cronSchedule === null || !scheduleEnabled || currentVersionId === null) return null;
  return { cron: cronSchedule, timeZone, startsAt: null, catchUp: 'LATEST' };
}

/** Why its schedule starts nothing, where nobody wanted that. */
export const pausedReasonOf = ({ archived, cronSchedule, currentVersionId, ...pipeline }: Pipeline): string | null =>
  !archived && cronSchedule !== null && pipeline.scheduleEnabled && currentVersionId === null
    ? 'It has no version yet: the schedule begins with the first one'
    : pipeline.pausedReason;

/** Repeating it is safe. */
export const archivePipeline = (pipeline: Pipeline, at: Date): Decision<Pipeline, PipelinesEvent> =>
  updated(pipeline, { ...pipeline, archived: true }, at);

/** Repeating it is safe. */
export const restorePipeline = (pipeline: Pipeline, at: Date): Decision<Pipeline, PipelinesEvent> =>
  updated(pipeline, { ...pipeline, archived: false }, at);

export const archivedPipeline = () => pipelineArchived();

function updated(before: Pipeline, wanted: Pipeline, at: Date): Decision<Pipeline, PipelinesEvent> {
  const names = Object.keys(changedFields(settingsOf(before), settingsOf(wanted)).after);
  if (names.length === 0) return unchanged(before);
  const after = { ...wanted, updatedAt: at };
  const event: PipelinesEvent<'pipeline.updated'> = {
    name: 'pipeline.updated',
    subject: after.id,
    at,
    data: {
      pipeline_id: after.id,
      name: after.name,
      changed_fields: names,
      schedule_enabled: after.scheduleEnabled,
    },
    change: changedFields(shown(before), shown(wanted)),
  };
  return decided(after, event);
}

const settingsOf = ({ notificationSettings, ...pipeline }: Pipeline): Fields => {
  const { recipients: _count, ...fields } = shown({ ...pipeline, notificationSettings });
  return { ...fields, notification_settings: notificationSettings };
};

/** As members see it, with the field names of the API; of who is told only how many they are. */
const shown = (pipeline: Pipeline): Fields => ({
  name: pipeline.name,
  description: pipeline.description,
  reference_notes: pipeline.referenceNotes,
  cron_schedule: pipeline.cronSchedule,
  time_zone: pipeline.timeZone,
  schedule_enabled: pipeline.scheduleEnabled,
  overlap: pipeline.overlap,
  paused_reason: pipeline.pausedReason,
  runs_on_new_data: pipeline.runsOnNewData,
  max_concurrent_runs: pipeline.maxConcurrentRuns,
  run_time_limit_seconds: pipeline.runTimeLimitSeconds,
  tags: pipeline.tags,
  recipients: recipientCount(pipeline.notificationSettings),
  notify_on: pipeline.notifyOn,
  schedule_parameters: pipeline.scheduleParameters,
  archived: pipeline.archived,
});
