import type { TaskServiceClient } from '@platform-backend/contract-content';
import type { MemberServiceClient } from '@platform-backend/contract-identity';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import type { ServiceContext, PeriodicJob } from '@platform-backend/service';
import type { service } from '../service.ts';
import { taskTemplateHandlers } from '../task-templates/api/task-template-handlers.ts';
import { forgetExecutions, runExecutions } from '../task-templates/app/run-executions.ts';
import { sendNotifications } from '../task-templates/app/send-notifications.ts';
import { taskTemplateUseCases } from '../task-templates/app/task-templates.ts';
import { contentTasks } from '../task-templates/clients/content-tasks.ts';
import { identityMembers } from '../task-templates/clients/identity-members.ts';
import { onTaskTemplateDue, taskExecutionsStore } from '../task-templates/store/task-executions-store.ts';
import { taskNotificationsStore } from '../task-templates/store/task-notifications-store.ts';
import { taskTemplatesStore } from '../task-templates/store/task-templates-store.ts';
import { scheduling } from './compose-schedules.ts';
import { openNotifiers } from './open-notifiers.ts';

const HOUR_MS = 60 * 60_000;

/** Task templates: their handlers, and what goes on beside the calls. */
export function composeTaskTemplates({
  storage,
  settings,
  clock,
  logger,
  client,
}: ServiceContext<typeof service.declaration>) {
  const { timetable, setSchedule } = scheduling;
  const now = () => clock.now();
  const templates = taskTemplatesStore(storage.database, setSchedule);
  const executions = taskExecutionsStore(storage.database, { setSchedule, now, newId });
  const findMembers = identityMembers(client<MemberServiceClient<CallOptions>>('platform.identity.v1.MemberService'));
  const askAssistant = contentTasks(client<TaskServiceClient<CallOptions>>('platform.content.v1.TaskService'));
  const running = { executions, askAssistant, findMembers, clock, newId };
  const notifications = taskNotificationsStore(storage.database);
  const sending = { notifications, notifiers: openNotifiers(settings, logger), findMembers, clock, newId };
  const everyMs = settings.PIPELINES_SCHEDULE_SECONDS * 1000;
  const repeated: readonly PeriodicJob[] = [
    { name: 'the running of tasks', everyMs, run: (stopping) => runExecutions(running, logger, stopping) },
    { name: 'the sending of notifications', everyMs, run: (stopping) => sendNotifications(sending, logger, stopping) },
    { name: 'the forgetting of old executions', everyMs: HOUR_MS, run: () => forgetExecutions(running) },
  ];
  const app = taskTemplateUseCases({ templates, executions, timetable, clock, newId });
  return {
    handlers: { TaskTemplateService: taskTemplateHandlers(app) },
    repeated,
    onDue: onTaskTemplateDue(now, newId),
  };
}
