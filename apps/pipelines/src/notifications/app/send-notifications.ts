import {
  inParallel,
  isUuid,
  newId,
  serviceActorContext,
  type ActorContext,
  type Clock,
  type Logger,
} from '@platform-backend/core';
import { recordDelivery, takeNotification, type Delivery, type Notification } from '../domain/notification.ts';
import type { DueItem, FindMembers, Notifiers, Notifications } from '../domain/notifications.ts';

export interface SendNotificationPorts {
  readonly notifications: Notifications;
  readonly notifiers: Notifiers;
  readonly findMembers: FindMembers;
  readonly clock: Clock;
}

const ROUND = 100;
const AT_ONCE = 4;

/** One round of telling people. Replicas share it; what one was at when it died is sent again by another one. */
export async function sendNotifications(
  ports: SendNotificationPorts,
  logger: Logger,
  stopping: AbortSignal,
): Promise<void> {
  const { notifications, clock } = ports;
  const due = await notifications.due(clock.now(), ROUND);
  await inParallel(due, { atOnce: AT_ONCE, stopping }, async (one) => {
    const taken = await notifications.take(one, (found) => takeNotification(found, clock.now()));
    if (!taken) return;
    const delivery = await deliver(ports, one, taken, logger);
    await notifications.update(one, (found) => recordDelivery(found, delivery, clock.now()));
  });
}

async function deliver(
  ports: SendNotificationPorts,
  { organisationId }: DueItem,
  notification: Notification,
  logger: Logger,
): Promise<Delivery> {
  const by = serviceActorContext('pipelines', organisationId, newId());
  try {
    return notification.method === 'SLACK'
      ? await ports.notifiers.slack({ organisationId, channelId: notification.recipient }, notification)
      : await mailTo(ports, by, notification);
  } catch (error) {
    logger.warn(
      { event: 'notification.failed', err: error, organisationId, notification: notification.id },
      'a notification could not be sent',
    );
    return { outcome: 'RETRY', reason: 'It could not be sent' };
  }
}

async function mailTo(
  { findMembers, notifiers }: SendNotificationPorts,
  by: ActorContext,
  notification: Notification,
): Promise<Delivery> {
  const { recipient } = notification;
  const [member] = isUuid(recipient) ? await findMembers(by, [recipient]) : [];
  if (!member) return { outcome: 'GIVE_UP', reason: 'Not an active member of the organisation' };
  return notifiers.mail(member, notification);
}
