import { describe, expect, it } from '@jest/globals';
import { later, noon, plan, prices, subscription, today } from '../test/examples.ts';
import { cancelSubscription, resumeSubscription } from './cancel-subscription.ts';
import { renewOnSchedule } from './renew-subscription.ts';
import type { Subscription } from './subscription.ts';

const grace = { graceDays: 14, retryHours: 24 };
const renew = (current: Subscription, at: Date) => renewOnSchedule(current, today, grace, at);

describe('renewing a subscription on schedule', () => {
  it('leaves a subscription alone until its time has come', () => {
    expect(renew(subscription(), later(29))).toBeNull();
  });

  it('pays for the next cycle from the end of the last one, however late it comes', () => {
    expect(renew(subscription(), later(31))).toMatchObject({
      kind: 'renewed',
      bill: { amountMinor: 30_000n },
      ifPaid: { status: 'ACTIVE', period: { start: later(30), end: later(61) } },
      maxActiveMembers: null,
    });
  });

  it('charges one cycle, and not those that were missed, when months have passed at once', () => {
    const jumped = later(215);
    const renewed = renew(subscription(), jumped);
    expect(renewed?.bill.amountMinor).toBe(30_000n);
    expect(renewed?.ifPaid.period).toMatchObject({
      start: new Date('2026-11-01T12:00:00.000Z'),
      end: new Date('2026-12-01T12:00:00.000Z'),
      cycles: 1,
    });
    expect(renewed && renew(renewed.ifPaid, jumped)).toBeNull();
  });

  it('begins the plan that was waiting, at its price', () => {
    const waiting = subscription({ pending: plan({ tier: 'BASIC', seatCount: 2 }) });
    expect(renew(waiting, later(30))).toMatchObject({
      bill: { amountMinor: 2_000n },
      ifPaid: { plan: { tier: 'BASIC', seatCount: 2 }, pending: null },
    });
  });

  it('goes by the prices and the tax of today, which are agreed for the next period', () => {
    const dearer = {
      ...today,
      prices: { ...prices, perSeat: { ...prices.perSeat, TEAM: { MONTHLY: 4_000n, YEARLY: 1n } } },
    };
    const taxed = { ...today.taxed, basisPoints: 2_000n };
    const renewed = renewOnSchedule(subscription(), { ...dearer, taxed }, grace, later(30));
    expect(renewed).toMatchObject({
      bill: { amountMinor: 40_000n },
      terms: { taxed },
      ifPaid: { agreed: [{ taxed, cycles: 1 }] },
    });
  });

  it('keeps to the currency agreed for as long as something is left in it', () => {
    const dollars = { ...today, prices: { ...prices, currency: 'USD' } };
    const renewedIn = (creditMinor: bigint) =>
      renewOnSchedule(subscription({ creditMinor }), dollars, grace, later(30))?.terms?.prices.currency;
    expect([renewedIn(1n), renewedIn(0n)]).toEqual(['EUR', 'USD']);
  });

  it('takes credit first', () => {
    expect(renew(subscription({ creditMinor: 1_000n }), later(30))).toMatchObject({
      bill: { amountMinor: 29_000n },
      ifPaid: { creditMinor: 0n },
    });
  });

  it('is past due when the payment is refused: tried again every day, for fourteen days', () => {
    let current = renew(subscription(), later(30))?.ifRefused;
    expect(current).toMatchObject({ status: 'PAST_DUE', graceEndsAt: later(44), nextActionAt: later(31) });
    let attempts = 1;
    while (current?.status === 'PAST_DUE') {
      const change = renew(current, current.nextActionAt ?? noon);
      if (change?.kind === 'ended') current = change.ifPaid;
      else {
        attempts += 1;
        current = change?.ifRefused;
      }
    }
    expect(attempts).toBe(14);
    expect(current).toMatchObject({ status: 'ENDED', nextActionAt: null, graceEndsAt: null });
  });
});

describe('cancelling a subscription', () => {
  const cancelled = cancelSubscription(subscription({ pending: plan({ tier: 'BASIC' }) }))?.ifPaid;

  it('keeps what is paid until the end of the period, and then ends', () => {
    expect(cancelled).toMatchObject({ status: 'CANCELING', pending: null, plan: { tier: 'TEAM' } });
    expect(cancelled && renew(cancelled, later(30))).toMatchObject({ kind: 'ended', bill: { amountMinor: 0n } });
  });

  it('changes nothing the second time', () => {
    expect(cancelled && cancelSubscription(cancelled)).toBeNull();
  });

  it('ends at once what is past due, as nothing is paid for', () => {
    const late = subscription({ status: 'PAST_DUE', graceEndsAt: later(44) });
    expect(cancelSubscription(late)).toMatchObject({ kind: 'ended', ifPaid: { status: 'ENDED' } });
  });

  it('is refused where there is nothing to cancel', () => {
    expect(() => cancelSubscription(null)).toThrow('There is no running subscription');
    expect(() => cancelSubscription(subscription({ status: 'ENDED' }))).toThrow('There is no running subscription');
  });
});

describe('resuming a subscription', () => {
  it('takes a cancellation and a downgrade back, and nothing the second time', () => {
    expect(resumeSubscription(subscription({ status: 'CANCELING' }))?.ifPaid.status).toBe('ACTIVE');
    expect(resumeSubscription(subscription({ pending: plan({ tier: 'BASIC' }) }))?.ifPaid.pending).toBeNull();
    expect(resumeSubscription(subscription())).toBeNull();
  });

  it('has a refused renewal decided anew, whose invoice was for the plan that was to come', () => {
    const waiting = subscription({ status: 'PAST_DUE', unpaidChangeId: 'change-1', pending: plan({ tier: 'BASIC' }) });
    const { ifPaid } = resumeSubscription(waiting) ?? {};
    expect(ifPaid).toMatchObject({ status: 'PAST_DUE', unpaidChangeId: null, pending: null });
  });

  it('is refused once it has ended', () => {
    expect(() => resumeSubscription(subscription({ status: 'ENDED' }))).toThrow('There is no running subscription');
  });
});
