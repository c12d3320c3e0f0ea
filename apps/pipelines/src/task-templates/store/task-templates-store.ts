import {
  changesIn,
  columns,
  firstOrThrow,
  jsonColumn,
  listPage,
  recordEventsOf,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import { nextTimesOf, type SetSchedule } from '../../schedules/store/schedules-store.ts';
import { taskTemplateNotFound } from '../domain/errors.ts';
import { ownerOf, scheduleSpecOf, type TaskTemplate } from '../domain/task-template.ts';
import type { ScheduledTemplate, TaskTemplates } from '../domain/task-templates.ts';

export const templateColumns = columns<TaskTemplate>({
  id: 'id',
  name: 'name',
  instruction: 'instruction',
  assignee: 'assignee',
  entities: jsonColumn('entities'),
  notificationSettings: jsonColumn('notification_settings'),
  cronSchedule: 'cron_schedule',
  scheduleEnabled: 'schedule_enabled',
  scheduleStartAt: 'schedule_start_at',
  timeZone: 'time_zone',
  overlap: 'overlap',
  catchUp: 'catch_up',
  memberId: 'member_id',
  pausedReason: 'paused_reason',
  failuresInRow: 'failures_in_row',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
});

/** Task templates in PostgreSQL; the schedule of one changes with it. */
export function taskTemplatesStore(database: Database, setSchedule: SetSchedule): TaskTemplates {
  const changes = changesIn(database, recordEventsOf('pipelines'));
  const get = (organisationId: string, id: string): Promise<ScheduledTemplate> =>
    database.tenant(organisationId, async (trx) => {
      const template = await loadTemplate(trx, organisationId, id);
      const [scheduled] = await withNextTimes(trx, organisationId, [template]);
      return scheduled ?? { ...template, nextRunAt: null };
    });

  return {
    get,

    async add(by, created) {
      const { organisationId } = by;
      const { id } = await changes.add(by, created, async (trx, template) => {
        await trx('task_templates').insert({ ...templateColumns.write(template), organisation_id: organisationId });
        await setSchedule(trx, organisationId, ownerOf(template), scheduleSpecOf(template), template.createdAt);
      });
      return get(organisationId, id);
    },

    async update(by, id, decide) {
      const { organisationId } = by;
      await changes.update(by, decide, {
        load: (trx) => loadTemplate(trx, organisationId, id, 'locked'),
        save: (trx, template) => saveTemplate(trx, organisationId, template, setSchedule),
      });
      return get(organisationId, id);
    },

    remove: (by, id, decide) =>
      changes.update(by, decide, {
        load: (trx) => loadTemplate(trx, by.organisationId, id, 'locked'),
        save: async (trx, _none, template) => {
          await setSchedule(trx, by.organisationId, ownerOf(template), null, template.updatedAt);
          await named(trx, by.organisationId, id).delete();
        },
      }),

    list: (organisationId, { scheduleEnabled }, { order, ...page }) =>
      database.tenant(organisationId, (trx) => {
        const templates = trx('task_templates').where({ organisation_id: organisationId });
        if (scheduleEnabled !== null) void templates.where({ schedule_enabled: scheduleEnabled });
        return listPage(templates.select(templateColumns.names), page, {
          order,
          read: (rows) => withNextTimes(trx, organisationId, rows.map(templateColumns.read)),
        });
      }),
  };
}

/** Locked, but others may refer to it meanwhile. NOT_FOUND: there is none. */
export async function loadTemplate(
  trx: Knex.Transaction,
  organisationId: string,
  id: string,
  lock: 'locked' | 'unlocked' = 'unlocked',
): Promise<TaskTemplate> {
  const query = named(trx, organisationId, id);
  if (lock === 'locked') void query.forNoKeyUpdate();
  return firstOrThrow(query, templateColumns, taskTemplateNotFound);
}

export async function saveTemplate(
  trx: Knex.Transaction,
  organisationId: string,
  template: TaskTemplate,
  setSchedule: SetSchedule,
): Promise<void> {
  await named(trx, organisationId, template.id).update(templateColumns.write(template));
  await setSchedule(trx, organisationId, ownerOf(template), scheduleSpecOf(template), template.updatedAt);
}

export const removeTaskTemplates = async (trx: Knex.Transaction, organisationId: string): Promise<void> => {
  for (const table of ['task_notifications', 'task_executions', 'task_templates']) {
    await trx(table).where({ organisation_id: organisationId }).delete();
  }
};

async function withNextTimes(
  trx: Knex.Transaction,
  organisationId: string,
  templates: readonly TaskTemplate[],
): Promise<ScheduledTemplate[]> {
  const ids = templates.map(({ id }) => id);
  const nextTimes = await nextTimesOf(trx, organisationId, 'TASK_TEMPLATE', ids);
  return templates.map((template) => ({ ...template, nextRunAt: nextTimes.get(template.id) ?? null }));
}

const named = (trx: Knex.Transaction, organisationId: string, id: string) =>
  trx('task_templates').where({ organisation_id: organisationId, id });
