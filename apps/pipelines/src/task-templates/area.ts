import type { TaskServiceClient } from '@platform-backend/contract-content';
import type { MemberServiceClient } from '@platform-backend/contract-identity';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import type { Area } from '@platform-backend/service';
import type { SchedulesExports } from '../schedules/area.ts';
import type { PipelinesContext, service } from '../service.ts';
import { taskTemplateHandlers } from './api/task-template-handlers.ts';
import { forgetExecutions, runExecutions } from './app/run-executions.ts';
import { sendNotifications } from './app/send-notifications.ts';
import { taskTemplateUseCases } from './app/task-templates.ts';
import { contentTasks } from './clients/content-tasks.ts';
import { identityMembers } from './clients/identity-members.ts';
import { openNotifiers } from './notifiers/open-notifiers.ts';
import { onTaskTemplateDue, taskExecutionsStore } from './store/task-executions-store.ts';
import { taskNotificationsStore } from './store/task-notifications-store.ts';
import { removeTaskTemplates, taskTemplatesStore } from './store/task-templates-store.ts';

const HOUR_MS = 60 * 60_000;

/** Task templates: what assistants are asked by schedule, each time that this happens, and who is told. */
export const taskTemplatesArea = (
  { storage: { database }, settings, clock, logger, client }: PipelinesContext,
  { schedules: { timetable, setSchedule } }: { readonly schedules: SchedulesExports },
) => {
  const now = () => clock.now();
  const templates = taskTemplatesStore(database, setSchedule);
  const executions = taskExecutionsStore(database, { setSchedule, now, newId });
  const findMembers = identityMembers(client<MemberServiceClient<CallOptions>>('platform.identity.v1.MemberService'));
  const askAssistant = contentTasks(client<TaskServiceClient<CallOptions>>('platform.content.v1.TaskService'));
  const running = { executions, askAssistant, findMembers, clock, newId };
  const notifications = taskNotificationsStore(database);
  const sending = { notifications, notifiers: openNotifiers(settings, logger), findMembers, clock, newId };
  const everyMs = settings.PIPELINES_SCHEDULE_SECONDS * 1000;
  return {
    handlers: {
      TaskTemplateService: taskTemplateHandlers(
        taskTemplateUseCases({ templates, executions, timetable, clock, newId }),
      ),
    },
    jobs: [
      { name: 'the running of tasks', everyMs, run: (stopping) => runExecutions(running, logger, stopping) },
      {
        name: 'the sending of notifications',
        everyMs,
        run: (stopping) => sendNotifications(sending, logger, stopping),
      },
      { name: 'the forgetting of old executions', everyMs: HOUR_MS, run: () => forgetExecutions(running) },
    ],
    removeOrganisation: removeTaskTemplates,
    exports: { onDue: onTaskTemplateDue(now, newId) },
  } satisfies Area<typeof service.declaration>;
};
