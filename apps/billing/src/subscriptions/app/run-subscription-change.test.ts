import { describe, expect, it } from '@jest/globals';
import { fixedClock, unavailable } from '@platform-backend/core';
import type { Payment } from '../../payments/domain/payment.ts';
import type { SubscriptionChange } from '../domain/subscription-change.ts';
import { noon } from '../test/examples.ts';
import { runChange, type RunChangePorts } from './run-subscription-change.ts';

/** How often a change is tried within some hours, by whoever goes on with it whenever that is due. */
async function attemptsWithin(hours: number, begun: Partial<SubscriptionChange>, more: Partial<RunChangePorts>) {
  const clock = fixedClock(noon.toISOString());
  const change = { organisationId: 'org-1', startedAt: noon, ...begun } as SubscriptionChange;
  let dueAt = noon;
  const subscriptions = { giveBack: async (_change: unknown, at: Date) => Promise.resolve(void (dueAt = at)) };
  const ports = { subscriptions, clock, leaseMs: 60_000, ...more } as unknown as RunChangePorts;
  let attempts = 0;
  for (; dueAt.getTime() < noon.getTime() + hours * 3_600_000; attempts += 1) {
    clock.advance(dueAt.getTime() - clock.now().getTime());
    await runChange(ports, change).catch(() => undefined);
  }
  return attempts;
}

describe('a subscription change that cannot go on', () => {
  it('is tried some hundreds of times while identity is away for thirty hours', async () => {
    const away = { applyPlan: () => Promise.reject(unavailable(new Error('identity is away'))) };
    const attempts = await attemptsWithin(30, { state: 'applying', outcome: 'accepted', ifPaid: {} } as never, {
      organisations: away,
    });
    expect(attempts).toBeGreaterThan(300);
    expect(attempts).toBeLessThan(400);
  });

  it('is looked at about once an hour while a bank takes two weeks', async () => {
    const processing = { state: 'PROCESSING' } as Payment;
    const charging = { state: 'charging', payer: {}, ifPaid: { plan: {} } } as SubscriptionChange;
    const attempts = await attemptsWithin(14 * 24, charging, { collectPayment: () => Promise.resolve(processing) });
    expect(attempts).toBeGreaterThan(14 * 24);
    expect(attempts).toBeLessThan(14 * 24 + 20);
  });
});
