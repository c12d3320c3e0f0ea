import { newNotifications, recipientsOf, type Notification } from '../../notifications/domain/notification.ts';
import type { WebhookEvent } from '../../webhooks/domain/webhook-delivery.ts';
import type { TaskExecution } from './task-execution.ts';
import type { TaskTemplate } from './task-template.ts';

/** Whoever has to hear of the end of an execution, and what. */
export function executionNotifications(
  template: TaskTemplate,
  execution: TaskExecution,
  newId: () => string,
  at: Date,
): readonly Notification[] {
  const hasSucceeded = execution.status === 'SUCCEEDED';
  const title = `${template.name}: ${hasSucceeded ? 'done' : 'failed'}`;
  const text = hasSucceeded ? execution.answer : (execution.error ?? '');
  const after = template.pausedReason === null ? '' : `\n\nIts schedule is paused: ${template.pausedReason}.`;
  return newNotifications(recipientsOf(template.notificationSettings), { title, text, after }, newId, at);
}

/** What webhooks are told of it: the answer itself is where it was given. */
export const executionEvent = (template: TaskTemplate, execution: TaskExecution, at: Date): WebhookEvent => ({
  type: 'task_execution.finished',
  at,
  data: {
    execution_id: execution.id,
    task_template_id: template.id,
    task_template_name: template.name,
    status: execution.status,
    error: execution.error,
    conversation_id: execution.conversationId,
    message_id: execution.messageId,
    created_at: execution.createdAt.toISOString(),
    finished_at: at.toISOString(),
  },
});
