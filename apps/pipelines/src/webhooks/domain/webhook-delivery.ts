import { beginningOf } from '@platform-backend/core';
import type { Notification } from '../../notifications/domain/notification.ts';
import { tooManyTestDeliveries, webhookDisabled } from './errors.ts';
import type { Webhook } from './webhook.ts';

export type WebhookEventType = 'run.finished' | 'task_execution.finished' | 'webhook.test';

/** What is told, as Standard Webhooks has it. */
export interface WebhookEvent {
  readonly type: WebhookEventType;
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface WebhookAttempt {
  /** ISO 8601. */
  readonly at: string;
  /** Null: it has arrived. */
  readonly error: string | null;
  /** Null: there was no answer. */
  readonly statusCode: number | null;
  readonly durationMs: number;
}

/** One event for one webhook. */
export interface WebhookDelivery {
  /** The same for every attempt. */
  readonly id: string;
  readonly webhookId: string;
  readonly eventType: WebhookEventType;
  readonly runId: string | null;
  readonly executionId: string | null;
  /** The body, as it is signed. */
  readonly payload: string;
  readonly status: Notification['status'];
  /** The last ones. */
  readonly attempts: readonly WebhookAttempt[];
  /** How often somebody has begun to send it, since it was first or again asked for. */
  readonly tries: number;
  /** When to try; null once that is over. */
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
}

/** How an attempt went: `GIVE_UP` is never tried again. */
export interface WebhookAnswer {
  readonly outcome: 'SENT' | 'RETRY' | 'GIVE_UP';
  readonly error: string | null;
  readonly statusCode: number | null;
  readonly durationMs: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Longer than an attempt may take. */
const LEASE_MS = MINUTE;
/** How long to wait after each attempt that went wrong, as Standard Webhooks advises; after the last one it is given up: three days. */
const PAUSES_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/** Receivers that were away at the same time are not asked by all at the same time. */
const SPREAD = 0.1;

const MAX_ATTEMPTS_KEPT = 20;
const MAX_ERROR = 500;
export const MAX_PENDING_TESTS = 10;

export const payloadOf = ({ type, at, data }: WebhookEvent): string =>
  JSON.stringify({ type, timestamp: at.toISOString(), data });

/** CONFLICT: it is told nothing, or is tested too often. */
export function testDelivery(webhook: Webhook, pending: number, id: string, at: Date): WebhookDelivery {
  if (!webhook.enabled) throw webhookDisabled();
  if (pending >= MAX_PENDING_TESTS) throw tooManyTestDeliveries({ max: MAX_PENDING_TESTS });
  return {
    id,
    webhookId: webhook.id,
    eventType: 'webhook.test',
    runId: null,
    executionId: null,
    payload: payloadOf({ type: 'webhook.test', at, data: { webhook_id: webhook.id } }),
    status: 'PENDING',
    attempts: [],
    tries: 0,
    nextAttemptAt: at,
    createdAt: at,
  };
}

/** Sends it again, whatever has become of it, or at once. CONFLICT: its webhook is told nothing. */
export function redeliver(delivery: WebhookDelivery, webhook: Webhook, at: Date): WebhookDelivery {
  if (!webhook.enabled) throw webhookDisabled();
  return { ...delivery, status: 'PENDING', tries: 0, nextAttemptAt: at };
}

/** Somebody tries now; null: it is not its time. */
export const takeDelivery = (delivery: WebhookDelivery, at: Date): WebhookDelivery | null =>
  delivery.nextAttemptAt && delivery.nextAttemptAt <= at
    ? { ...delivery, tries: delivery.tries + 1, nextAttemptAt: new Date(at.getTime() + LEASE_MS) }
    : null;

/**
 * What an attempt came to, which was the try of that number. What somebody has asked for again meanwhile is sent again; `random` from 0 to 1
 * spreads what is tried again.
 */
export function recordAnswer(
  delivery: WebhookDelivery,
  { taken, answer, random }: { readonly taken: number; readonly answer: WebhookAnswer; readonly random: number },
  at: Date,
): WebhookDelivery {
  const { outcome, error, statusCode, durationMs } = answer;
  const attempt = {
    at: at.toISOString(),
    error: error === null ? null : beginningOf(error, MAX_ERROR),
    statusCode,
    durationMs,
  };
  const attempts = [...delivery.attempts, attempt].slice(-MAX_ATTEMPTS_KEPT);
  if (delivery.status !== 'PENDING' || delivery.tries !== taken) return { ...delivery, attempts };
  if (outcome === 'SENT') return { ...delivery, status: 'SENT', attempts, nextAttemptAt: null };
  const pause = outcome === 'RETRY' ? PAUSES_MS[delivery.tries - 1] : undefined;
  if (pause === undefined) return { ...delivery, status: 'FAILED', attempts, nextAttemptAt: null };
  return { ...delivery, attempts, nextAttemptAt: new Date(at.getTime() + pause * (1 + SPREAD * random)) };
}
