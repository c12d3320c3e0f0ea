import { newId, type ActorContext, type Clock } from '@platform-backend/core';
import type { NotificationSetting } from '../../notifications/domain/notification.ts';
import { nextDue, requireTimes, type ScheduleSpec } from '../../schedules/domain/schedule.ts';
import type { Timetable } from '../../schedules/domain/timetable.ts';
import { tooManyExecutions } from '../domain/errors.ts';
import { beginExecution } from '../domain/task-execution.ts';
import {
  changeTaskTemplate,
  createTaskTemplate,
  deleteTaskTemplate,
  pauseTaskTemplate,
  resumeTaskTemplate,
  scheduleSpecOf,
  type TaskSettings,
} from '../domain/task-template.ts';
import type { TaskExecutions, TaskTemplates } from '../domain/task-templates.ts';

export interface TaskTemplatePorts {
  readonly templates: TaskTemplates;
  readonly executions: TaskExecutions;
  /** INVALID: settings name a webhook that is none of the organisation. */
  readonly requireWebhooks: (organisationId: string, settings: readonly NotificationSetting[]) => Promise<void>;
  readonly timetable: Timetable;
  readonly clock: Clock;
}

export type TaskTemplateUseCases = ReturnType<typeof taskTemplateUseCases>;

/** So many times a preview shows. */
const PREVIEW = 5;

/** Of one template; beyond, the platform does not keep up with what is asked of it. */
const MAX_OPEN = 100;

const PREVIEW_FIELDS = { of: 'query', cron: 'cron_schedule', timeZone: 'time_zone' } as const;

export const taskTemplateUseCases = ({
  templates,
  executions,
  requireWebhooks,
  timetable,
  clock,
}: TaskTemplatePorts) => ({
  async createTaskTemplate(by: ActorContext, settings: TaskSettings) {
    await requireWebhooks(by.organisationId, settings.notificationSettings);
    return templates.add(by, createTaskTemplate(by, newId(), settings, clock.now(), timetable));
  },

  async updateTaskTemplate(by: ActorContext, id: string, wanted: Partial<TaskSettings>) {
    await requireWebhooks(by.organisationId, wanted.notificationSettings ?? []);
    return templates.update(by, id, (template) => changeTaskTemplate(template, wanted, clock.now(), timetable));
  },

  pauseTaskTemplate: (by: ActorContext, id: string) =>
    templates.update(by, id, (template) => pauseTaskTemplate(template, clock.now())),

  resumeTaskTemplate: (by: ActorContext, id: string) =>
    templates.update(by, id, (template) => resumeTaskTemplate(template, clock.now())),

  deleteTaskTemplate: (by: ActorContext, id: string) =>
    templates.remove(by, id, (template) => deleteTaskTemplate(template, clock.now())),

  getTaskTemplate: templates.get,
  listTaskTemplates: templates.list,

  /** The same execution id again is the same execution. CONFLICT: too many are waiting. */
  runTaskTemplate: (by: ActorContext, templateId: string, id: string) =>
    executions.begin(by, templateId, id, (template, open) => {
      if (open >= MAX_OPEN) throw tooManyExecutions();
      return beginExecution({ ...template, overlap: 'ALLOW' }, manual(id), clock.now());
    }),

  getExecution: executions.get,
  listExecutions: executions.list,

  /** INVALID: it is never due, or the zone is unknown. */
  previewSchedule(spec: ScheduleSpec): readonly Date[] {
    requireTimes(spec, timetable, PREVIEW_FIELDS);
    return nextDue(spec, clock.now(), timetable, PREVIEW);
  },

  async previewTaskTemplate(organisationId: string, id: string): Promise<readonly Date[]> {
    const spec = scheduleSpecOf(await templates.get(organisationId, id));
    return spec ? nextDue(spec, clock.now(), timetable, PREVIEW) : [];
  },
});

/** What somebody asks for goes on beside whatever runs. */
const manual = (id: string) => ({ id, trigger: 'MANUAL', dueAt: null, isBusy: false }) as const;
