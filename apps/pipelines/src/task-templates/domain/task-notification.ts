import { beginningOf } from '@platform-backend/core';
import type { TaskExecution } from './task-execution.ts';
import { recipientsOf, type Recipient, type TaskTemplate } from './task-template.ts';

export interface NotificationAttempt {
  /** ISO 8601. */
  readonly at: string;
  /** Null: it was sent. */
  readonly error: string | null;
}

/** One who is told how an execution has ended. */
export interface TaskNotification extends Recipient {
  readonly id: string;
  readonly executionId: string;
  readonly title: string;
  readonly text: string;
  readonly status: 'PENDING' | 'SENT' | 'FAILED';
  readonly attempts: readonly NotificationAttempt[];
  /** How often somebody has begun to send it. Of one that died meanwhile nobody knows whether it has. */
  readonly takes: number;
  /** When to try; null once that is over. */
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
}

/** How an attempt went: sent, not now, or never. */
export type Delivery =
  | { readonly outcome: 'SENT' }
  | { readonly outcome: 'RETRY' | 'GIVE_UP'; readonly reason: string };

const MINUTE = 60_000;
const LEASE_MS = MINUTE;
/** How long to wait after each attempt that went wrong; after the last one it is given up. */
const PAUSES_MS = [MINUTE / 6, MINUTE, 5 * MINUTE, 30 * MINUTE];

/** What mail and chat show of an answer; the whole of it is in the conversation. */
const MAX_TEXT = 10_000;
const MAX_ERROR = 500;

/** Whoever has to hear of the end of an execution, and what. */
export function notificationsOf(
  template: TaskTemplate,
  execution: TaskExecution,
  newId: () => string,
  at: Date,
): readonly TaskNotification[] {
  const hasSucceeded = execution.status === 'SUCCEEDED';
  const title = `${template.name}: ${hasSucceeded ? 'done' : 'failed'}`;
  const told = hasSucceeded ? execution.answer : (execution.error ?? '');
  const pause = template.pausedReason === null ? '' : `\n\nIts schedule is paused: ${template.pausedReason}.`;
  const text = `${told.length > MAX_TEXT ? `${beginningOf(told, MAX_TEXT)}…` : told}${pause}`;
  return recipientsOf(template.notificationSettings).map((recipient) => ({
    ...recipient,
    id: newId(),
    executionId: execution.id,
    title,
    text,
    status: 'PENDING',
    attempts: [],
    takes: 0,
    nextAttemptAt: at,
    createdAt: at,
  }));
}

/** Somebody tries now; null: it is not its time. */
export const takeNotification = (notification: TaskNotification, at: Date): TaskNotification | null =>
  notification.nextAttemptAt && notification.nextAttemptAt <= at
    ? { ...notification, takes: notification.takes + 1, nextAttemptAt: new Date(at.getTime() + LEASE_MS) }
    : null;

export function recordDelivery(notification: TaskNotification, delivery: Delivery, at: Date): TaskNotification {
  if (notification.status !== 'PENDING') return notification;
  const error = delivery.outcome === 'SENT' ? null : beginningOf(delivery.reason, MAX_ERROR);
  const attempts = [...notification.attempts, { at: at.toISOString(), error }];
  if (delivery.outcome === 'SENT') return { ...notification, status: 'SENT', attempts, nextAttemptAt: null };
  const pause = delivery.outcome === 'RETRY' ? PAUSES_MS[notification.attempts.length] : undefined;
  if (pause === undefined) return { ...notification, status: 'FAILED', attempts, nextAttemptAt: null };
  return { ...notification, attempts, nextAttemptAt: new Date(at.getTime() + pause) };
}
