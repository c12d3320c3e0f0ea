import { describe, expect, it } from '@jest/globals';
import { systemClock } from '@platform-backend/core';
import { quiet } from '@platform-backend/events/testing';
import type { DueItem } from '../../notifications/domain/notifications.ts';
import { testDelivery, type WebhookDelivery } from '../domain/webhook-delivery.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { PostDelivery, WebhookDeliveries } from '../domain/webhooks.ts';
import { sendWebhooks } from './send-webhooks.ts';

const at = new Date(0);
const webhook: Webhook = {
  ...{ id: 'webhook', description: '', url: 'https://hooks.example.com/', enabled: true, createdAt: at, updatedAt: at },
  ...{ sealedSecret: '', formerSealedSecret: null, formerUntil: null },
};
const SENT = { outcome: 'SENT', error: null, statusCode: 204, durationMs: 1 } as const;
const never = new AbortController().signal;

/** So many deliveries of each organisation, kept in memory. */
function kept(organisations: readonly string[], each: number) {
  const all = new Map<string, WebhookDelivery>();
  const organisationOf = (id: string): string => id.split(' ')[0] ?? '';
  for (let number = 0; number < each; number += 1)
    for (const organisation of organisations) {
      const id = `${organisation} ${String(number)}`;
      all.set(id, testDelivery(webhook, 0, id, at));
    }
  const deliveries: Pick<WebhookDeliveries, 'due' | 'take' | 'update'> = {
    due: (now, limit, busy) =>
      Promise.resolve(
        [...all.values()]
          .filter(({ nextAttemptAt }) => nextAttemptAt && nextAttemptAt <= now)
          .map(({ id }): DueItem => ({ id, organisationId: organisationOf(id) }))
          .filter(({ organisationId }) => !busy.includes(organisationId))
          .slice(0, limit),
      ),
    take({ id }, decide) {
      const found = all.get(id);
      const delivery = found ? decide(found) : null;
      if (delivery) all.set(id, delivery);
      return Promise.resolve(delivery && { delivery, webhook });
    },
    update({ id }, decide) {
      const found = all.get(id);
      if (found) all.set(id, decide(found));
      return Promise.resolve();
    },
  };
  const sentOf = (organisation: string): number =>
    [...all.values()].filter(({ id, status }) => status === 'SENT' && organisationOf(id) === organisation).length;
  return { deliveries: deliveries as WebhookDeliveries, sentOf };
}

const sending = (deliveries: WebhookDeliveries, post: PostDelivery, stopping = never) =>
  sendWebhooks({ deliveries, post, clock: systemClock, random: () => 0 }, quiet, stopping);

describe('webhooks that are sent', () => {
  it('are all sent, though receivers of another organisation do not answer, of which a few are asked at once', async () => {
    const { deliveries, sentOf } = kept(['slow', 'quick'], 40);
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    let [asked, highest] = [0, 0];
    const done = sending(deliveries, async (organisationId) => {
      if (organisationId === 'quick') return SENT;
      highest = Math.max(highest, (asked += 1));
      await answered;
      asked -= 1;
      return SENT;
    });
    const deadline = performance.now() + 4_000;
    while (sentOf('quick') < 40 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
    expect([sentOf('quick'), sentOf('slow')]).toEqual([40, 0]);
    answer();
    await done;
    expect(sentOf('slow')).toBe(40);
    expect(highest).toBe(4);
  });

  it('that another replica is at are left to it, and end no round', async () => {
    const { deliveries, sentOf } = kept(['a'], 3);
    const take: WebhookDeliveries['take'] = (one, decide) =>
      one.id === 'a 0' ? Promise.resolve(null) : deliveries.take(one, decide);
    await sending({ ...deliveries, take }, () => Promise.resolve(SENT));
    expect(sentOf('a')).toBe(2);
  });

  it('are all answered before a failure of the database is told, and none is begun any more', async () => {
    const { deliveries } = kept(['a', 'b', 'c'], 10);
    let [begun, ended] = [0, 0];
    const update = (): Promise<void> => {
      ended += 1;
      return Promise.reject(new Error('the database is away'));
    };
    const done = sending({ ...deliveries, update }, async () => {
      begun += 1;
      await new Promise((resolve) => setTimeout(resolve, 5 * begun));
      return SENT;
    });
    await expect(done).rejects.toThrow('the database is away');
    expect([begun, ended]).toEqual([12, 12]);
  });

  it('are not begun once the service stops', async () => {
    const { deliveries, sentOf } = kept(['a'], 40);
    const stopping = new AbortController();
    const post: PostDelivery = () => {
      stopping.abort();
      return Promise.resolve(SENT);
    };
    await sending(deliveries, post, stopping.signal);
    expect(sentOf('a')).toBe(4);
  });
});
