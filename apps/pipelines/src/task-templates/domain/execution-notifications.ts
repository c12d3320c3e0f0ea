import { newNotifications, recipientsOf, type Notification } from '../../notifications/domain/notification.ts';
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
