import type { Clock, Logger } from '@platform-backend/core';
import type { DueItem } from '../../notifications/domain/notifications.ts';
import { recordAnswer, takeDelivery, type WebhookAnswer } from '../domain/webhook-delivery.ts';
import type { PostDelivery, TakenDelivery, WebhookDeliveries } from '../domain/webhooks.ts';

export interface SendWebhookPorts {
  readonly deliveries: WebhookDeliveries;
  readonly post: PostDelivery;
  readonly clock: Clock;
  readonly random: () => number;
}

/** So many are on their way at once, and so many of one organisation: receivers that do not answer hold up those of their own alone. */
const AT_ONCE = 32;
const AT_ONCE_OF_ORGANISATION = 4;
/** While some are on their way, what has become due meanwhile is looked for again. */
const LOOK_AGAIN_MS = 1_000;

const DAY_MS = 24 * 60 * 60_000;
export const DELIVERY_DAYS = 30;

/**
 * Sends what is due until nothing is, organisations in turn; none waits for what another one is sent. Replicas share it; what one was at
 * when it died is sent again by another one.
 */
export async function sendWebhooks(ports: SendWebhookPorts, logger: Logger, stopping: AbortSignal): Promise<void> {
  const { deliveries, clock } = ports;
  const underWay = new Map<string, DueItem & { readonly sent: Promise<void> }>();
  // Another replica was at these a moment ago.
  const ofOthers = new Map<string, number>();
  const failures: unknown[] = [];

  function begin(one: DueItem): void {
    const sent = send(ports, one, logger)
      .then(
        (isTaken) => void (isTaken ? ofOthers.delete(one.id) : ofOthers.set(one.id, clock.now().getTime())),
        (error: unknown) => void failures.push(error),
      )
      .finally(() => underWay.delete(one.id));
    underWay.set(one.id, { ...one, sent });
  }

  for (;;) {
    if (failures.length === 0 && !stopping.aborted) await beginDue();
    if (underWay.size === 0) break;
    let timer: NodeJS.Timeout | undefined;
    const later = new Promise<void>((resolve) => (timer = setTimeout(resolve, LOOK_AGAIN_MS)));
    await Promise.race([later, ...[...underWay.values()].map(({ sent }) => sent)]);
    clearTimeout(timer);
  }
  if (failures.length > 0) throw failures[0];

  async function beginDue(): Promise<void> {
    const now = clock.now();
    for (const [id, seen] of ofOthers) if (now.getTime() - seen >= LOOK_AGAIN_MS) ofOthers.delete(id);
    const counts = new Map<string, number>();
    for (const { organisationId } of underWay.values())
      counts.set(organisationId, (counts.get(organisationId) ?? 0) + 1);
    const busy = [...counts].flatMap(([id, count]) => (count < AT_ONCE_OF_ORGANISATION ? [] : id));
    const due = await deliveries.due(now, AT_ONCE, busy).catch((error: unknown) => {
      failures.push(error);
      return [];
    });
    for (const one of due) {
      if (underWay.size >= AT_ONCE || stopping.aborted) return;
      const count = counts.get(one.organisationId) ?? 0;
      if (count >= AT_ONCE_OF_ORGANISATION || underWay.has(one.id) || ofOthers.has(one.id)) continue;
      counts.set(one.organisationId, count + 1);
      begin(one);
    }
  }
}

/** False: another one is at it, or it is not its time. */
async function send(
  { deliveries, post, clock, random }: SendWebhookPorts,
  one: DueItem,
  logger: Logger,
): Promise<boolean> {
  const taken = await deliveries.take(one, (found) => takeDelivery(found, clock.now()));
  if (!taken) return false;
  const answer = taken.webhook.enabled ? await answered(post, one, taken, clock, logger) : disabled;
  const attempt = { taken: taken.delivery.tries, answer, random: random() };
  await deliveries.update(one, (found) => recordAnswer(found, attempt, clock.now()));
  return true;
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
    logger.warn({ event: 'webhook.failed', err: error, organisationId, delivery: id }, 'a webhook could not be told');
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
