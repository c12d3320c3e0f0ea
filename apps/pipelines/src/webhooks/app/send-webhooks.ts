import { inParallel, type Clock, type Logger } from '@platform-backend/core';
import type { DueItem } from '../../notifications/domain/notifications.ts';
import { recordAnswer, takeDelivery, type WebhookAnswer } from '../domain/webhook-delivery.ts';
import type { PostDelivery, TakenDelivery, WebhookDeliveries } from '../domain/webhooks.ts';

export interface SendWebhookPorts {
  readonly deliveries: WebhookDeliveries;
  readonly post: PostDelivery;
  readonly clock: Clock;
  readonly random: () => number;
}

/** All of a round are on their way at once, so that receivers which do not answer delay others by one timeout and no more. */
const AT_ONCE = 16;

const DAY_MS = 24 * 60 * 60_000;
export const DELIVERY_DAYS = 30;

/** Sends what is due, organisations in turn. Replicas share it; what one was at when it died is sent again by another one. */
export async function sendWebhooks(ports: SendWebhookPorts, logger: Logger, stopping: AbortSignal): Promise<void> {
  for (;;) {
    const due = await ports.deliveries.due(ports.clock.now(), AT_ONCE);
    await inParallel(due, AT_ONCE, stopping, (one) => send(ports, one, logger));
    if (due.length < AT_ONCE || stopping.aborted) return;
  }
}

async function send({ deliveries, post, clock, random }: SendWebhookPorts, one: DueItem, logger: Logger) {
  const taken = await deliveries.take(one, (found) => takeDelivery(found, clock.now()));
  if (!taken) return;
  const answer = taken.webhook.enabled ? await answered(post, one, taken, clock, logger) : disabled;
  const attempt = { taken: taken.delivery.tries, answer, random: random() };
  await deliveries.update(one, (found) => recordAnswer(found, attempt, clock.now()));
}

async function answered(
  post: PostDelivery,
  { organisationId, id }: DueItem,
  taken: TakenDelivery,
  clock: Clock,
  logger: Logger,
): Promise<WebhookAnswer> {
  try {
    return await post(organisationId, taken, clock.now());
  } catch (error) {
    logger.warn(
      { event: 'notification.failed', err: error, organisationId, notification: id },
      'a webhook could not be told',
    );
    return { outcome: 'RETRY', error: 'It could not be sent', statusCode: null, durationMs: 0 };
  }
}

const disabled: WebhookAnswer = {
  outcome: 'GIVE_UP',
  error: 'The webhook is not enabled',
  statusCode: null,
  durationMs: 0,
};

export const forgetDeliveries = ({ deliveries, clock }: Pick<SendWebhookPorts, 'deliveries' | 'clock'>) =>
  deliveries.forget(new Date(clock.now().getTime() - DELIVERY_DAYS * DAY_MS));
