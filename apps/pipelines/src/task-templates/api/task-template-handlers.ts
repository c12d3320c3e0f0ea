import type {
  CreateTaskTemplateRequest,
  TaskExecutionInput,
  TaskTemplateInput,
  TaskTemplateServiceHandlers,
  UpdateTaskTemplateRequest,
} from '@platform-backend/contract-pipelines';
import { newId, type ActorContext } from '@platform-backend/core';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import { createHash } from 'node:crypto';
import { notificationMessage, settingMessage, settingOf } from '../../notifications/api/notification-messages.ts';
import type { NotifiedRecipient } from '../../notifications/domain/notification.ts';
import type { TaskTemplateUseCases } from '../app/task-templates.ts';
import type { TaskExecution } from '../domain/task-execution.ts';
import { defaultAssignee, type TaskSettings } from '../domain/task-template.ts';
import type { ScheduledTemplate } from '../domain/task-templates.ts';

export const taskTemplateHandlers = (app: TaskTemplateUseCases): TaskTemplateServiceHandlers<CallContext> => ({
  async createTaskTemplate(request, context) {
    const by = context.actorContext();
    return templateOf(by, await app.createTaskTemplate(by, settingsOf(request)));
  },

  async listTaskTemplates({ scheduleEnabled, ...page }, context) {
    const by = context.actorContext();
    const templates = await app.listTaskTemplates(by.organisationId, { scheduleEnabled }, page);
    return listAnswer('taskTemplates', templates, (template) => templateOf(by, template));
  },

  async getTaskTemplate({ templateId }, context) {
    const by = context.actorContext();
    return templateOf(by, await app.getTaskTemplate(by.organisationId, templateId));
  },

  async updateTaskTemplate({ templateId, updateMask, ...request }, context) {
    const by = context.actorContext();
    return templateOf(by, await app.updateTaskTemplate(by, templateId, settingsGiven(updateMask, request)));
  },

  async deleteTaskTemplate({ templateId }, context) {
    const { id } = await app.deleteTaskTemplate(context.actorContext(), templateId);
    return { id, deleted: true };
  },

  async pauseTaskTemplate({ templateId }, context) {
    const by = context.actorContext();
    return templateOf(by, await app.pauseTaskTemplate(by, templateId));
  },

  async resumeTaskTemplate({ templateId }, context) {
    const by = context.actorContext();
    return templateOf(by, await app.resumeTaskTemplate(by, templateId));
  },

  async runTaskTemplate({ templateId, idempotencyKey }, context) {
    const by = context.actorContext();
    return executionOf(await app.runTaskTemplate(by, templateId, executionIdOf(by, templateId, idempotencyKey)));
  },

  previewSchedule({ cronSchedule: cron, timeZone, scheduleStartAt: startsAt }) {
    return Promise.resolve({ times: [...app.previewSchedule({ cron, timeZone, startsAt, catchUp: 'LATEST' })] });
  },

  async previewTaskTemplate({ templateId }, context) {
    return { times: [...(await app.previewTaskTemplate(context.organisationId(), templateId))] };
  },

  listTaskExecutions: async ({ templateId, status, ...page }, context) =>
    listAnswer(
      'executions',
      await app.listExecutions(context.organisationId(), templateId, { statuses: status }, page),
      (execution) => executionOf(execution),
    ),

  async getTaskExecution({ templateId, executionId }, context) {
    const execution = await app.getExecution(context.organisationId(), templateId, executionId);
    return executionOf(execution, execution.notifications);
  },
});

const settingsOf = ({ context, assignee, notificationSettings, ...settings }: CreateTaskTemplateRequest) =>
  ({
    ...settings,
    assignee: assigneeOf(assignee),
    entities: context.entities,
    notificationSettings: notificationSettings.flatMap(settingOf),
  }) satisfies TaskSettings;

/** Of the fields of a change those that it names. */
function settingsGiven(
  mask: UpdateTaskTemplateRequest['updateMask'],
  { context, overlap, catchUp, ...request }: Omit<UpdateTaskTemplateRequest, 'templateId' | 'updateMask'>,
): Partial<TaskSettings> {
  const given = fieldsGiven(mask, { ...request, context, overlap, catchUp });
  const { assignee, notificationSettings, context: about, overlap: lap, catchUp: missed, ...plain } = given;
  return {
    ...plain,
    ...(assignee !== undefined && { assignee: assigneeOf(assignee) }),
    ...(about && { entities: about.entities }),
    ...(notificationSettings && { notificationSettings: notificationSettings.flatMap(settingOf) }),
    ...(lap && { overlap: lap }),
    ...(missed && { catchUp: missed }),
  };
}

const assigneeOf = (assignee: string | null): string =>
  assignee === null || assignee === '' ? defaultAssignee : assignee;

const templateOf = (
  { organisationId }: ActorContext,
  { entities, notificationSettings, failuresInRow: _count, ...template }: ScheduledTemplate,
): TaskTemplateInput => ({
  ...template,
  organisationId,
  context: { entities: [...entities] },
  notificationSettings: notificationSettings.map(settingMessage),
});

const executionOf = (
  { turnId: _turn, nextCheckAt: _due, ...execution }: TaskExecution,
  notifications: readonly NotifiedRecipient[] = [],
): TaskExecutionInput => ({
  ...execution,
  notifications: notifications.map(notificationMessage),
});

/** A UUID of its own kind (RFC 9562, version 8) that the same key of the same caller always makes. */
function executionIdOf({ organisationId, actor }: ActorContext, templateId: string, key: string): string {
  if (key === '') return newId();
  const bytes = createHash('sha256')
    .update(JSON.stringify([organisationId, actor.type, actor.id, templateId, key]))
    .digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
