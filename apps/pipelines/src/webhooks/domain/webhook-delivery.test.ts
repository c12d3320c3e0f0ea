import { describe, expect, it } from '@jest/globals';
import { recordAnswer, redeliver, takeDelivery, testDelivery, type WebhookAnswer } from './webhook-delivery.ts';
import { changeWebhook, createWebhook, MAX_WEBHOOKS, rotateSecret, signingSecrets, type Webhook } from './webhook.ts';

const noon = new Date('2026-07-01T12:00:00Z');
const after = (seconds: number): Date => new Date(noon.getTime() + seconds * 1000);

const made = { id: 'w1', url: 'https://hooks.example.com/T1/secret', description: 'Paging', sealedSecret: 'first' };
const webhook: Webhook = createWebhook(0, made, noon).state;

const failed: WebhookAnswer = { outcome: 'RETRY', error: 'It answered 500', statusCode: 500, durationMs: 3 };
const sent: WebhookAnswer = { outcome: 'SENT', error: null, statusCode: 204, durationMs: 3 };

const taken = (delivery = testDelivery(webhook, 0, 'd1', noon), at = noon) => {
  const found = takeDelivery(delivery, at);
  if (!found) throw new Error('it is not its time');
  return found;
};
const recorded = (delivery: ReturnType<typeof taken>, answer: WebhookAnswer, at = noon, random = 0) =>
  recordAnswer(delivery, { taken: delivery.tries, answer, random }, at);

describe('a delivery of a webhook', () => {
  it('is tried ten times in three days, each time later, and then given up', () => {
    const pauses: number[] = [];
    let [delivery, at] = [testDelivery(webhook, 0, 'd1', noon), noon];
    while (delivery.nextAttemptAt) {
      delivery = recorded(taken(delivery, at), failed, at);
      if (delivery.nextAttemptAt) pauses.push((delivery.nextAttemptAt.getTime() - at.getTime()) / 1000);
      at = delivery.nextAttemptAt ?? at;
    }
    expect(pauses).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect([delivery.status, delivery.attempts.length]).toEqual(['FAILED', 10]);
  });

  it('is spread where many are tried again, by a tenth at most', () => {
    expect(recorded(taken(), failed, noon, 1).nextAttemptAt).toEqual(after(5.5));
  });

  it('is over once it has arrived, or where nobody wants it', () => {
    expect(recorded(taken(), sent)).toMatchObject({ status: 'SENT', nextAttemptAt: null });
    expect(recorded(taken(), { ...failed, outcome: 'GIVE_UP' })).toMatchObject({ status: 'FAILED' });
  });

  it('is nobody else’s while it is on its way, and somebody’s again when whoever sent it has died', () => {
    const first = taken();
    expect(takeDelivery(first, after(59))).toBeNull();
    expect(taken(first, after(60)).tries).toBe(2);
  });

  it('is sent again where somebody has asked for that while it was on its way', () => {
    const first = taken();
    const again = redeliver(first, webhook, after(1));
    const late = recordAnswer(again, { taken: first.tries, answer: sent, random: 0 }, after(2));
    expect(late).toMatchObject({ status: 'PENDING', nextAttemptAt: after(1), attempts: [{ error: null }] });
  });

  it('keeps its last twenty attempts, however often it is sent again', () => {
    let delivery = testDelivery(webhook, 0, 'd1', noon);
    for (let count = 0; count < 25; count += 1)
      delivery = recorded(taken(redeliver(delivery, webhook, noon)), { ...sent, durationMs: count });
    expect(delivery.attempts.map(({ durationMs }) => durationMs)).toEqual(
      Array.from({ length: 20 }, (_, at) => at + 5),
    );
  });

  it('is not asked for where the webhook is not enabled, nor an eleventh test', () => {
    const off = { ...webhook, enabled: false };
    expect(() => testDelivery(off, 0, 'd1', noon)).toThrow(expect.objectContaining({ code: 'webhook_disabled' }));
    expect(() => redeliver(taken(), off, noon)).toThrow(expect.objectContaining({ code: 'webhook_disabled' }));
    const tests = () => testDelivery(webhook, 10, 'd1', noon);
    expect(tests).toThrow(expect.objectContaining({ code: 'too_many_test_deliveries' }));
  });
});

describe('a webhook', () => {
  it('shows the audit log no more of its address than the host', () => {
    const changed = changeWebhook(webhook, { url: 'https://hooks.example.com/T1/other' }, noon);
    expect(changed.events[0]?.data).toEqual({ webhook_id: 'w1', changed_fields: ['url'] });
    const all = [
      ...createWebhook(0, made, noon).events,
      ...changed.events,
      ...rotateSecret(webhook, 's', 9, noon).events,
    ];
    expect(JSON.stringify(all)).not.toMatch(/T1\/|first/);
    expect(changeWebhook(webhook, { description: 'Paging' }, noon).events).toEqual([]);
  });

  it('is signed with its former secret as well until the overlap has ended', () => {
    const rotated = rotateSecret(webhook, 'second', 60, noon).state;
    expect(signingSecrets(rotated, after(59))).toEqual(['second', 'first']);
    expect(signingSecrets(rotated, after(60))).toEqual(['second']);
    expect(signingSecrets(rotateSecret(webhook, 'second', 0, noon).state, noon)).toEqual(['second']);
    expect(signingSecrets(rotateSecret(rotated, 'third', 60, after(1)).state, after(2))).toEqual(['third', 'second']);
  });

  it('is one of twenty at most', () => {
    const one = () => createWebhook(MAX_WEBHOOKS, made, noon);
    expect(one).toThrow(expect.objectContaining({ code: 'too_many_webhooks' }));
  });
});
