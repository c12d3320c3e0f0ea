import { describe, expect, it } from '@jest/globals';
import { later, noon, plan, prices, subscription, terms, today } from '../test/examples.ts';
import { changePlan, type PlanInput } from './change-plan.ts';
import { creditsOfChange, creditsOfCycleAt, creditsSoldBy, shownCredits } from './plan-credits.ts';
import type { SubscriptionChange } from './subscription-change.ts';
import type { Subscription } from './subscription.ts';

// Ten TEAM seats at thirty credits each, for the thirty days from `noon` on.
const now = subscription();
const [start, end] = [now.period.start.toISOString(), now.period.end.toISOString()];
const source = `plan:sub-1:${start}/${end}`;
const none = { granted: [], takenBack: null };

/** What comes of a change that is made and paid at once. */
function made(before: Subscription | null, wanted: PlanInput, at: Date) {
  const change = changePlan(before, wanted, terms, at);
  if (!change) throw new Error('it is so already');
  const begun: Pick<SubscriptionChange, 'id' | 'before' | 'ifPaid' | 'startedAt'> = {
    ...{ id: 'c', before, ifPaid: change.ifPaid, startedAt: at },
  };
  return { after: change.ifPaid, sold: creditsSoldBy(begun, at), ...creditsOfChange(begun, change.ifPaid, at) };
}

describe('the credits of a plan', () => {
  it('come with each cycle that is paid for, and expire with it', () => {
    const first = made(null, { tier: 'TEAM', seatCount: 10 }, noon);
    expect(first).toMatchObject({
      granted: [{ source, amount: 300_000_000n, expiresAt: now.period.end }],
      nextAt: null,
    });
    expect(first.sold).toContainEqual({ source, amount: 300_000_000n });
    expect(shownCredits(now)).toBe(300_000_000n);
  });

  it('of cycles that are paid in advance come when each begins, for the seats of then', () => {
    const longer = made(now, { tier: 'TEAM', seatCount: 10, renew: true }, later(10));
    expect(longer).toMatchObject({ ...none, nextAt: now.period.end });
    const next = creditsOfCycleAt(longer.after, now.period.end);
    expect(next.granted).toMatchObject([{ amount: 300_000_000n, expiresAt: longer.after.period.end }]);
    const ofNext = next.granted[0]?.source;
    const ofSeats = { source: 'plan:c', amount: null };
    expect([next.nextAt, longer.sold]).toEqual([null, [ofSeats, { source: ofNext, amount: 300_000_000n }]]);
    const more = made(longer.after, { tier: 'TEAM', seatCount: 20 }, later(15));
    // Seats that are added are paid for all cycles to come; the share of the one that runs comes by itself.
    expect(more.sold).toEqual([ofSeats, { source: ofNext, amount: 300_000_000n }]);
    expect(creditsOfCycleAt(more.after, now.period.end).granted).toMatchObject([{ amount: 600_000_000n }]);
  });

  it('of seats that are added are their share of the rest of the cycle', () => {
    // Ten more seats for half of the month.
    const more = made(now, { tier: 'TEAM', seatCount: 20 }, later(15));
    expect(more).toMatchObject({
      granted: [{ source: 'plan:c', amount: 150_000_000n, expiresAt: now.period.end }],
      ...{ takenBack: null, sold: [{ source: 'plan:c', amount: null }] },
    });
    const basic = subscription({ plan: plan({ tier: 'BASIC' }) });
    expect(creditsOfCycleAt(basic, later(1)).granted).toEqual([]);
    expect(made(basic, { tier: 'TEAM', seatCount: 10 }, later(20)).granted).toMatchObject([{ amount: 100_000_000n }]);
  });

  it('stay where the plan gets smaller, which counts from the next cycle on', () => {
    const wanted: PlanInput = { tier: 'TEAM', seatCount: 4 };
    expect(made(now, wanted, later(3))).toMatchObject({ ...none, after: { pending: { seatCount: 4 } } });
  });

  it('are taken back for time that is given back, as another cycle takes the place of the running one', () => {
    // A third of the month is left.
    const yearly = made(now, { tier: 'TEAM', seatCount: 10, renewalCycle: 'YEARLY' }, later(20));
    expect(yearly.takenBack).toEqual({ source, amount: 100_000_000n });
    expect(yearly.granted).toMatchObject([{ amount: 3_600_000_000n, expiresAt: yearly.after.period.end }]);
    // Also where both begin in one moment.
    const atOnce = made(now, { tier: 'TEAM', seatCount: 10, renewalCycle: 'YEARLY' }, noon);
    expect(atOnce.takenBack).toEqual({ source, amount: 300_000_000n });
    expect(atOnce.granted[0]?.source).not.toBe(source);
  });

  it('come with no trial, with nothing that is not paid, and by what was agreed', () => {
    const trial = made(null, { tier: 'TEAM', seatCount: 10, trial: true }, noon);
    expect(trial).toMatchObject({ ...none, nextAt: null });
    expect(shownCredits(trial.after)).toBe(300_000_000n);
    const paid = made(trial.after, { tier: 'TEAM', seatCount: 10, renew: true }, later(2));
    expect(paid).toMatchObject({ granted: [{ amount: 300_000_000n }], takenBack: null });
    for (const status of ['PAST_DUE', 'ENDED'] as const) {
      expect(creditsOfCycleAt(subscription({ status }), later(1))).toEqual({ ...none, nextAt: null });
    }
    const before = {
      ...today,
      prices: { ...prices, creditsPerSeat: { ...prices.creditsPerSeat, TEAM: prices.creditsPerSeat.BASIC } },
    };
    expect(creditsOfCycleAt(subscription({ agreed: [{ ...before, cycles: 1 }] }), later(1)).granted).toEqual([]);
  });

  it('of a change that waited for its payment go by the cycle that runs by then', () => {
    const longer = made(now, { tier: 'TEAM', seatCount: 10, renew: true }, later(1)).after;
    const more = changePlan(longer, { tier: 'TEAM', seatCount: 20 }, terms, later(29));
    if (!more) throw new Error('it is a change');
    const begun = { id: 'c', before: longer, ifPaid: more.ifPaid, startedAt: later(29) };
    expect(creditsOfChange(begun, more.ifPaid, later(31)).granted).toMatchObject([{ amount: 300_000_000n }]);
  });
});
