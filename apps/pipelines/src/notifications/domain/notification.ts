import { beginningOf, invalidField } from '@platform-backend/core';

/** Where the end of something is told. */
export type NotificationSetting =
  | { readonly method: 'EMAIL'; readonly userIds: readonly string[] }
  | { readonly method: 'SLACK'; readonly channelIds: readonly string[] }
  | { readonly method: 'WEBHOOK'; readonly webhookIds: readonly string[] };

export interface Recipient {
  readonly method: 'EMAIL' | 'SLACK';
  /** A user's id, or a channel's. */
  readonly recipient: string;
}

/** Of all settings of one thing: each of them is told of each end. */
const MAX_RECIPIENTS = 1_000;

/** Everybody once who is written to. */
export function recipientsOf(settings: readonly NotificationSetting[]): readonly Recipient[] {
  const found = new Map<string, Recipient>();
  for (const setting of settings) {
    if (setting.method === 'WEBHOOK') continue;
    const ids = setting.method === 'EMAIL' ? setting.userIds : setting.channelIds;
    for (const recipient of ids) found.set(`${setting.method} ${recipient}`, { method: setting.method, recipient });
  }
  return [...found.values()];
}

/** The webhooks that are told, each once. */
export const webhooksOf = (settings: readonly NotificationSetting[]): readonly string[] => [
  ...new Set(settings.flatMap((setting) => (setting.method === 'WEBHOOK' ? setting.webhookIds : []))),
];

/** How many are told. */
export const recipientCount = (settings: readonly NotificationSetting[]): number =>
  recipientsOf(settings).length + webhooksOf(settings).length;

/** INVALID: there are too many of them. */
export function requireRecipients(settings: readonly NotificationSetting[]): void {
  if (recipientCount(settings) <= MAX_RECIPIENTS) return;
  throw invalidField(['body', 'notification_settings'], `at most ${String(MAX_RECIPIENTS)} recipients`, null);
}

export interface NotificationAttempt {
  /** ISO 8601. */
  readonly at: string;
  /** Null: it was sent. */
  readonly error: string | null;
}

/** One who is told how something has ended. */
export interface Notification extends Recipient {
  readonly id: string;
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

/** Of whatever kind: who is told, and what became of it. */
export interface NotifiedRecipient extends Pick<Notification, 'recipient' | 'status' | 'attempts'> {
  readonly method: NotificationSetting['method'];
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

/** What recipients are told, by the text that may be too long for it. */
export function newNotifications(
  recipients: readonly Recipient[],
  { title, text, after = '' }: { readonly title: string; readonly text: string; readonly after?: string },
  newId: () => string,
  at: Date,
): readonly Notification[] {
  const shown = text.length > MAX_TEXT ? `${beginningOf(text, MAX_TEXT)}…` : text;
  return recipients.map((recipient) => ({
    ...recipient,
    id: newId(),
    title,
    text: `${shown}${after}`,
    status: 'PENDING',
    attempts: [],
    takes: 0,
    nextAttemptAt: at,
    createdAt: at,
  }));
}

/** Somebody tries now; null: it is not its time. */
export const takeNotification = (notification: Notification, at: Date): Notification | null =>
  notification.nextAttemptAt && notification.nextAttemptAt <= at
    ? { ...notification, takes: notification.takes + 1, nextAttemptAt: new Date(at.getTime() + LEASE_MS) }
    : null;

export function recordDelivery(notification: Notification, delivery: Delivery, at: Date): Notification {
  if (notification.status !== 'PENDING') return notification;
  const error = delivery.outcome === 'SENT' ? null : beginningOf(delivery.reason, MAX_ERROR);
  const attempts = [...notification.attempts, { at: at.toISOString(), error }];
  if (delivery.outcome === 'SENT') return { ...notification, status: 'SENT', attempts, nextAttemptAt: null };
  const pause = delivery.outcome === 'RETRY' ? PAUSES_MS[notification.attempts.length] : undefined;
  if (pause === undefined) return { ...notification, status: 'FAILED', attempts, nextAttemptAt: null };
  return { ...notification, attempts, nextAttemptAt: new Date(at.getTime() + pause) };
}
