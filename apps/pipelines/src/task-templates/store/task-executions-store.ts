import { newId, storableJson, type ActorContext, type Decision } from '@platform-backend/core';
import {
  changesIn,
  columns,
  countOf,
  listPage,
  recordEventsOf,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import type { PipelinesEvent } from '../../events.ts';
import { webhooksOf } from '../../notifications/domain/notification.ts';
import { dueItems, untilDueItem } from '../../notifications/store/due-items.ts';
import { addNotifications, notificationsOf } from '../../notifications/store/notifications-store.ts';
import type { OnDue, SetSchedule } from '../../schedules/store/schedules-store.ts';
import { addWebhookDeliveries, toldWebhooks } from '../../webhooks/store/webhook-deliveries-store.ts';
import { executionNotFound } from '../domain/errors.ts';
import { executionEvent, executionNotifications } from '../domain/execution-notifications.ts';
import { beginExecution, type GivenTask, type TaskExecution } from '../domain/task-execution.ts';
import { countOutcome, type TaskTemplate } from '../domain/task-template.ts';
import type { TaskExecutions } from '../domain/task-templates.ts';
import { loadTemplate, saveTemplate } from './task-templates-store.ts';

const executionColumns = columns<TaskExecution>({
  id: 'id',
  taskTemplateId: 'task_template_id',
  status: 'status',
  trigger: 'trigger',
  dueAt: 'due_at',
  attempts: 'attempts',
  turnId: 'turn_id',
  conversationId: 'conversation_id',
  messageId: 'message_id',
  answer: 'answer',
  error: 'error',
  createdAt: 'created_at',
  startedAt: 'started_at',
  attemptStartedAt: 'attempt_started_at',
  finishedAt: 'finished_at',
  nextCheckAt: 'look_at',
});

const recordEvents = recordEventsOf('pipelines');

interface Parts {
  readonly setSchedule: SetSchedule;
  readonly now: () => Date;
}

/** Executions of task templates in PostgreSQL. */
export function taskExecutionsStore(database: Database, { setSchedule, now }: Parts): TaskExecutions {
  const changes = changesIn(database, recordEvents);

  /** Counts it with its template, and notes down who has to hear of it. */
  async function finish(trx: Knex.Transaction, by: ActorContext, execution: TaskExecution, at: Date): Promise<void> {
    const before = await loadTemplate(trx, by.organisationId, execution.taskTemplateId, 'locked');
    const { state: template, events } = countOutcome(before, execution.status === 'SUCCEEDED', at);
    await recordEvents(trx, by, events);
    if (template !== before) await saveTemplate(trx, by.organisationId, template, setSchedule);
    const told = executionNotifications(template, execution, newId, at);
    const subject = { execution_id: execution.id };
    await addNotifications(trx, by.organisationId, subject, told);
    const webhooks = webhooksOf(template.notificationSettings);
    await addWebhookDeliveries(trx, by.organisationId, subject, webhooks, executionEvent(template, execution, at));
  }

  return {
    begin: (by, templateId, id, decide) =>
      database.tenant(by.organisationId, async (trx) => {
        const template = await loadTemplate(trx, by.organisationId, templateId, 'locked');
        const row = await named(trx, by.organisationId, id).first<object | undefined>(executionColumns.names);
        if (row) return executionColumns.read(row);
        return writeBegun(trx, by, template, decide(template, await openOf(trx, by.organisationId, templateId)));
      }),

    due: (at, limit) => dueItems(database, 'task_executions', at, limit),

    untilDue: (at) => untilDueItem(database, 'task_executions', at),

    take: ({ organisationId, id }, decide) =>
      database.tenant(organisationId, async (trx) => {
        const row = await named(trx, organisationId, id)
          .forUpdate()
          .skipLocked()
          .first<{ task: GivenTask } | undefined>([...executionColumns.names, 'task']);
        const execution = row && decide(executionColumns.read(row));
        if (!execution) return null;
        await named(trx, organisationId, id).update(executionColumns.write(execution));
        return { execution, task: row.task };
      }),

    update: (by, id, decide) =>
      changes.update(by, withoutResult(decide), {
        load: async (trx) => {
          const row = await named(trx, by.organisationId, id)
            .forUpdate()
            .first<object | undefined>(executionColumns.names);
          return row && executionColumns.read(row);
        },
        save: async (trx, execution) => {
          if (!execution) return;
          await named(trx, by.organisationId, id).update(executionColumns.write(execution));
          if (execution.finishedAt) await finish(trx, by, execution, now());
        },
      }),

    get: (organisationId, templateId, id) =>
      database.tenant(organisationId, async (trx) => {
        const row = await named(trx, organisationId, id)
          .where({ task_template_id: templateId })
          .first<object | undefined>(executionColumns.names);
        if (!row) throw executionNotFound();
        return {
          ...executionColumns.read(row),
          notifications: [
            ...(await notificationsOf(trx, organisationId, { execution_id: id })),
            ...(await toldWebhooks(trx, organisationId, { execution_id: id })),
          ],
        };
      }),

    list: (organisationId, templateId, { statuses }, { order, ...page }) =>
      database.tenant(organisationId, async (trx) => {
        await loadTemplate(trx, organisationId, templateId);
        const executions = trx('task_executions').where({
          organisation_id: organisationId,
          task_template_id: templateId,
        });
        if (statuses.length > 0) void executions.whereIn('status', [...statuses]);
        return listPage(executions.select(executionColumns.names), page, {
          order,
          read: (rows) => rows.map(executionColumns.read),
        });
      }),

    forget: (before) =>
      database.system({ 'app.forgotten_tasks': 'finished' }, async (trx) => {
        await trx('task_executions').where('finished_at', '<', before).delete();
      }),
  };
}

/** What a template does when it is due: it begins an execution, or writes down that it was skipped. */
export const onTaskTemplateDue =
  (now: () => Date): OnDue =>
  async (trx, by, { ownerId, dueAt }) => {
    const template = await loadTemplate(trx, by.organisationId, ownerId);
    const isBusy = (await openOf(trx, by.organisationId, ownerId)) > 0;
    const begun = beginExecution(template, { id: newId(), trigger: 'SCHEDULE', dueAt, isBusy }, now());
    await writeBegun(trx, by, template, begun);
  };

async function writeBegun(
  trx: Knex.Transaction,
  by: ActorContext,
  { name, instruction, assignee, entities, memberId }: TaskTemplate,
  { state: execution, events }: Decision<TaskExecution, PipelinesEvent>,
): Promise<TaskExecution> {
  await recordEvents(trx, by, events);
  const task: GivenTask = { name, instruction, assignee, entities, memberId };
  await trx('task_executions').insert({
    ...executionColumns.write(execution),
    organisation_id: by.organisationId,
    task: storableJson(task),
  });
  return execution;
}

/** How many of a template are not finished. */
const openOf = (trx: Knex.Transaction, organisationId: string, templateId: string): Promise<number> =>
  countOf(
    trx('task_executions')
      .where({ organisation_id: organisationId, task_template_id: templateId })
      .whereNotNull('look_at'),
  );

/** One that was deleted meanwhile is over. */
const withoutResult =
  (decide: (execution: TaskExecution) => Decision<TaskExecution, PipelinesEvent>) =>
  (execution: TaskExecution | undefined): Decision<TaskExecution | undefined, PipelinesEvent, void> =>
    execution ? { ...decide(execution), result: undefined } : { state: execution, events: [], result: undefined };

const named = (trx: Knex.Transaction, organisationId: string, id: string) =>
  trx('task_executions').where({ organisation_id: organisationId, id });
