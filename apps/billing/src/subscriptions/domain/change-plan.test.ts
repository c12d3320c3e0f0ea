import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changePlan, type PlanInput } from './change-plan.ts';
import { later, noon, plan, prices, subscription, terms } from './examples.ts';
import { valueLeft } from './paid-period.ts';
import { cyclePrice } from './seat-prices.ts';
import { organisationPlanOf, type Subscription } from './subscription.ts';

const change = (current: Subscription | null, wanted: Partial<PlanInput>, at = noon) =>
  changePlan(current, { tier: 'TEAM', seatCount: 10, ...wanted }, terms, at);

describe('buying a first subscription', () => {
  const { ifPaid, bill, kind } = change(null, {});

  it('counts at once and is paid for one cycle', () => {
    expect(kind).toBe('started');
    expect(bill.amountMinor).toBe(30_000n);
    expect(organisationPlanOf(ifPaid)).toEqual({
      tier: 'TEAM',
      maxMemberLimit: 10,
      seatsRenewalEnabled: true,
      seatsRenewalCycle: 'MONTHLY',
      seatsExpiredAt: new Date('2026-05-01T12:00:00.000Z'),
      hasPlan: true,
    });
  });

  it('may take free seats away, but none that is taken', () => {
    expect(change(null, { seatCount: 2 }).maxActiveMembers).toBe(2);
    expect(change(null, { seatCount: 5 }).maxActiveMembers).toBeNull();
  });

  it('begins anew after an end, under the same id', () => {
    const ended = subscription({ status: 'ENDED', nextActionAt: null });
    expect(change(ended, {}, later(90)).ifPaid).toMatchObject({ id: 'sub-1', period: { start: later(90), cycles: 1 } });
  });
});

describe('BASIC to TEAM', () => {
  const basic = subscription({ plan: plan({ tier: 'BASIC' }) });

  it('counts at once and costs the difference for the rest of the period', () => {
    const { ifPaid, bill, kind } = change(basic, {}, later(15));
    expect(kind).toBe('upgraded');
    expect(bill.lines.map(({ amountMinor }) => amountMinor)).toEqual([-5_000n, 15_000n]);
    expect(bill.amountMinor).toBe(10_000n);
    expect(ifPaid).toMatchObject({ plan: { tier: 'TEAM' }, period: basic.period });
  });

  it('pays nothing back when it is cheaper, but keeps the rest as credit', () => {
    const { bill, ifPaid, maxActiveMembers } = change(basic, { seatCount: 1 }, later(15));
    expect(bill.amountMinor).toBe(0n);
    expect(ifPaid.creditMinor).toBe(3_500n);
    expect(maxActiveMembers).toBe(1);
  });
});

describe('TEAM to BASIC', () => {
  it('counts from the end of the period and costs nothing now', () => {
    const { ifPaid, bill } = change(subscription(), { tier: 'BASIC', seatCount: 4 });
    expect(bill).toEqual({ lines: [], amountMinor: 0n, creditMinor: 0n });
    expect(ifPaid).toMatchObject({ plan: { tier: 'TEAM', seatCount: 10 }, pending: { tier: 'BASIC', seatCount: 4 } });
  });

  it('is refused already now when more members are active than it will have seats', () => {
    expect(change(subscription(), { tier: 'BASIC', seatCount: 4 }).maxActiveMembers).toBe(4);
  });

  it('is taken back by renewing TEAM', () => {
    const pending = subscription({ pending: plan({ tier: 'BASIC' }) });
    expect(change(pending, {}).ifPaid.pending).toBeNull();
  });
});

describe('the same tier', () => {
  it('renews by one cycle', () => {
    const { ifPaid, bill, kind } = change(subscription(), {}, later(3));
    expect(kind).toBe('renewed');
    expect(bill.amountMinor).toBe(30_000n);
    expect(ifPaid.period).toMatchObject({ end: new Date('2026-06-01T12:00:00.000Z'), cycles: 2 });
  });

  it('takes more seats from now on, the rest of the period at its share', () => {
    expect(change(subscription(), { seatCount: 12 }, later(15)).bill.amountMinor).toBe(3_000n + 36_000n);
  });

  it('takes a cancellation back', () => {
    expect(change(subscription({ status: 'CANCELING' }), {}).ifPaid.status).toBe('ACTIVE');
  });

  it('pays for what was not paid when it is past due, and goes on without a gap', () => {
    const late = subscription({ status: 'PAST_DUE', graceEndsAt: later(44), nextActionAt: later(31) });
    const { ifPaid, kind } = change(late, {}, later(33));
    expect(kind).toBe('renewed');
    expect(ifPaid).toMatchObject({
      status: 'ACTIVE',
      graceEndsAt: null,
      period: { start: late.period.end, cycles: 1 },
    });
  });

  it('is refused when it would be paid for more than five years ahead', () => {
    let current = subscription({ plan: plan({ renewalCycle: 'YEARLY' }) });
    for (let year = 0; year < 4; year += 1) current = change(current, {}).ifPaid;
    expect(() => change(current, {})).toThrow('at most 5 years ahead');
  });
});

describe('another cycle', () => {
  it('begins at once, and what is unused of the old one counts against its price', () => {
    const { ifPaid, bill } = change(subscription(), { renewalCycle: 'YEARLY' }, later(15));
    expect(bill.amountMinor).toBe(300_000n - 15_000n);
    expect(ifPaid.period).toMatchObject({ start: later(15), cycles: 1 });
  });
});

describe('any chain of changes', () => {
  const wanted = fc.record({
    tier: fc.constantFrom('BASIC', 'TEAM'),
    seatCount: fc.integer({ min: 1, max: 10_000 }),
    renewalCycle: fc.constantFrom('MONTHLY', 'YEARLY'),
  });
  const worth = (current: Subscription | null, at: Date) =>
    current
      ? current.creditMinor + valueLeft(cyclePrice(prices, current.plan), current.period, current.plan.renewalCycle, at)
      : 0n;

  it('never gives or takes a cent: what was left and what is paid is what is left afterwards', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(wanted, fc.integer({ min: 0, max: 20 * 86_400_000 })), { maxLength: 12 }),
        (steps) => {
          let current: Subscription | null = null;
          let now = noon.getTime();
          for (const [next, waitMs] of steps) {
            now += waitMs;
            const at = new Date(now);
            if (current && current.period.end <= at) return;
            // Five years ahead is as far as it goes.
            if (current && current.period.end.getTime() > now + 3 * 365 * 86_400_000) return;
            const { bill, ifPaid } = changePlan(current, next, terms, at);
            expect(bill.amountMinor >= 0n && bill.creditMinor >= 0n).toBe(true);
            if (bill.lines.length > 0) {
              expect(bill.lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)).toBe(bill.amountMinor);
            }
            expect(worth(ifPaid, at)).toBe(worth(current, at) + bill.amountMinor);
            current = ifPaid;
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
