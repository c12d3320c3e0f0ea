import type { TaskServiceClient } from '@platform-backend/contract-content';
import type { CallOptions } from '@platform-backend/grpc';
import type { Area } from '@platform-backend/service';
import type { NotificationsExports } from '../notifications/area.ts';
import type { SchedulesExports } from '../schedules/area.ts';
import type { PipelinesContext, service } from '../service.ts';
import type { WebhooksExports } from '../webhooks/area.ts';
import { taskTemplateHandlers } from './api/task-template-handlers.ts';
import { forgetExecutions, runExecutions } from './app/run-executions.ts';
import { taskTemplateUseCases } from './app/task-templates.ts';
import { contentTasks } from './clients/content-tasks.ts';
import { onTaskTemplateDue, taskExecutionsStore } from './store/task-executions-store.ts';
import { removeTaskTemplates, taskTemplatesStore } from './store/task-templates-store.ts';

const HOUR_MS = 60 * 60_000;

/** Task templates: what assistants are asked by schedule, and each time that this happens. */
export const taskTemplatesArea = (
  { storage: { database }, settings, clock, logger, client }: PipelinesContext,
  {
    schedules: { timetable, setSchedule },
    notifications: { findMembers },
    webhooks: { requireWebhooks },
  }: {
    readonly schedules: SchedulesExports;
    readonly notifications: NotificationsExports;
    readonly webhooks: WebhooksExports;
  },
) => {
  const now = () => clock.now();
  const templates = taskTemplatesStore(database, setSchedule);
  const executions = taskExecutionsStore(database, { setSchedule, now });
  const askAssistant = contentTasks(client<TaskServiceClient<CallOptions>>('platform.content.v1.TaskService'));
  const running = { executions, askAssistant, findMembers, clock };
  const everyMs = settings.PIPELINES_SCHEDULE_SECONDS * 1000;
  return {
    handlers: {
      TaskTemplateService: taskTemplateHandlers(
        taskTemplateUseCases({ templates, executions, requireWebhooks, timetable, clock }),
      ),
    },
    jobs: [
      {
        name: 'the running of tasks',
        everyMs,
        run: (stopping) => runExecutions(running, logger, stopping),
        untilDueMs: () => executions.untilDue(clock.now()),
      },
      { name: 'the forgetting of old executions', everyMs: HOUR_MS, run: () => forgetExecutions(running) },
    ],
    removeOrganisation: removeTaskTemplates,
    exports: { onDue: onTaskTemplateDue(now) },
  } satisfies Area<typeof service.declaration>;
};
