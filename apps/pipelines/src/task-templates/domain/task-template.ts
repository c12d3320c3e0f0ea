import {
  changedFields,
  created,
  decided,
  deleted,
  forbidden,
  invalid,
  unchanged,
  type ActorContext,
  type Decision,
  type Fields,
} from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import {
  recipientCount,
  requireRecipients,
  type NotificationSetting,
} from '../../notifications/domain/notification.ts';
import { countEnd, enabledAnew, type PausingSchedule } from '../../schedules/domain/pausing.ts';
import { requireTimes, type CatchUp, type ScheduleSpec, type ScheduleOwner } from '../../schedules/domain/schedule.ts';
import type { Timetable } from '../../schedules/domain/timetable.ts';
import { taskTemplateWithoutSchedule } from './errors.ts';

export type Overlap = 'SKIP' | 'ALLOW';

/** Something that an assistant should look at; whatever a client names, as JSON. */
export type Entity = null | boolean | number | string | Entity[] | { readonly [key: string]: Entity };

/** What an assistant shall do, and when. */
export interface TaskSettings {
  readonly instruction: string;
  readonly name: string;
  /** The name or id of an assistant. Whether there is one shows when it is asked. */
  readonly assignee: string;
  readonly entities: readonly Entity[];
  readonly notificationSettings: readonly NotificationSetting[];
  readonly cronSchedule: string | null;
  readonly scheduleEnabled: boolean;
  readonly scheduleStartAt: Date | null;
  readonly timeZone: string;
  readonly overlap: Overlap;
  readonly catchUp: CatchUp;
}

export interface TaskTemplate extends TaskSettings, PausingSchedule {
  readonly id: string;
  /** The user who made it, in whose name it is executed. */
  readonly memberId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Whoever names no assistant gets the one that everybody has. */
export const defaultAssignee = 'general';

const FIELDS = { cron: 'cron_schedule', timeZone: 'time_zone' };

/** INVALID: a schedule that is never due. FORBIDDEN: nobody stands behind the call in whose name it could be executed. */
export function createTaskTemplate(
  { actor }: ActorContext,
  id: string,
  settings: TaskSettings,
  at: Date,
  timetable: Timetable,
): Decision<TaskTemplate, PipelinesEvent> {
  if (actor.userId === null) throw forbidden();
  const template: TaskTemplate = {
    ...checked(settings, timetable),
    id,
    memberId: actor.userId,
    pausedReason: null,
    failuresInRow: 0,
    createdAt: at,
    updatedAt: at,
  };
  const { name, assignee, scheduleEnabled } = template;
  const data = { task_template_id: id, name, assignee, schedule_enabled: scheduleEnabled };
  return created('task_template.created', template, at, data, shown(template));
}

/** Changes the fields given; the same values again change nothing and are no event. INVALID: as when it is made. */
export function changeTaskTemplate(
  template: TaskTemplate,
  wanted: Partial<TaskSettings>,
  at: Date,
  timetable: Timetable,
): Decision<TaskTemplate, PipelinesEvent> {
  const next = checked({ ...template, ...wanted }, timetable);
  return updated(template, enabledAnew(template, next), at);
}

/** Repeating it is safe. */
export const pauseTaskTemplate = (template: TaskTemplate, at: Date): Decision<TaskTemplate, PipelinesEvent> =>
  updated(template, { ...template, scheduleEnabled: false }, at);

/** Repeating it is safe. CONFLICT: there is no schedule. */
export function resumeTaskTemplate(template: TaskTemplate, at: Date): Decision<TaskTemplate, PipelinesEvent> {
  if (template.cronSchedule === null) throw taskTemplateWithoutSchedule();
  return updated(template, enabledAnew(template, { ...template, scheduleEnabled: true }), at);
}

export const deleteTaskTemplate = (
  template: TaskTemplate,
  at: Date,
): Decision<undefined, PipelinesEvent, { readonly id: string }> =>
  deleted('task_template.deleted', template, at, { task_template_id: template.id }, shown(template));

/** Counts how executions end, and pauses a schedule after too many that failed one after the other. */
export function countOutcome(
  template: TaskTemplate,
  hasSucceeded: boolean,
  at: Date,
): Decision<TaskTemplate, PipelinesEvent> {
  const counted = countEnd(template, hasSucceeded, 'executions');
  return counted.scheduleEnabled === template.scheduleEnabled ? unchanged(counted) : updated(template, counted, at);
}

export const ownerOf = ({ id }: Pick<TaskTemplate, 'id'>): ScheduleOwner => ({ kind: 'TASK_TEMPLATE', id });

/** When it is due; null: only when somebody asks for it. */
export function scheduleSpecOf(settings: TaskSettings): ScheduleSpec | null {
  const { cronSchedule, scheduleEnabled, scheduleStartAt, timeZone, catchUp } = settings;
  if (!scheduleEnabled || cronSchedule === null) return null;
  return { cron: cronSchedule, timeZone, startsAt: scheduleStartAt, catchUp };
}

function updated(before: TaskTemplate, next: TaskTemplate, at: Date): Decision<TaskTemplate, PipelinesEvent> {
  const changed = changedFields(settingsOf(before), settingsOf(next));
  const names = Object.keys(changed.after);
  if (names.length === 0) return unchanged(before);
  const state = { ...next, updatedAt: at };
  return decided(state, {
    name: 'task_template.updated',
    subject: next.id,
    at,
    data: { task_template_id: next.id, changed_fields: names, schedule_enabled: next.scheduleEnabled },
    change: changedFields(shown(before), shown(next)),
  });
}

/** What the contract cannot say of settings. */
function checked<Settings extends TaskSettings>(settings: Settings, timetable: Timetable): Settings {
  const { cronSchedule, scheduleEnabled, timeZone } = settings;
  if (scheduleEnabled && cronSchedule === null) {
    throw invalid([{ type: 'missing', loc: ['body', FIELDS.cron], msg: 'Field required', input: null }]);
  }
  // Whatever else, the zone has to be one.
  requireTimes({ cron: cronSchedule ?? '* * * * *', timeZone }, timetable, FIELDS);
  requireRecipients(settings.notificationSettings);
  return settings;
}

const settingsOf = (template: TaskTemplate): Fields => ({
  ...shown(template),
  instruction: template.instruction,
  context: template.entities,
  notification_settings: template.notificationSettings,
});

/** What the audit log shows of it: of what may be long only how much there is. */
const shown = (template: TaskTemplate): Fields => ({
  name: template.name,
  assignee: template.assignee,
  instruction_length: template.instruction.length,
  entities: template.entities.length,
  recipients: recipientCount(template.notificationSettings),
  cron_schedule: template.cronSchedule,
  schedule_enabled: template.scheduleEnabled,
  schedule_start_at: template.scheduleStartAt?.toISOString() ?? null,
  time_zone: template.timeZone,
  overlap: template.overlap,
  catch_up: template.catchUp,
  paused_reason: template.pausedReason,
});
