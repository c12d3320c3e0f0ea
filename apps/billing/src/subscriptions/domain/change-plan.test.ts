import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Discount } from '../../coupons/domain/discount.ts';
import { later, noon, plan, prices, subscription, terms, today } from '../test/examples.ts';
import { changePlan, type PlanInput } from './change-plan.ts';
import { valueLeft } from './paid-period.ts';
import { agreedPrices, type PlanTerms } from './plan-terms.ts';
import type { PlannedChange } from './planned-change.ts';
import { organisationPlanOf, type Subscription } from './subscription.ts';

const decide = (current: Subscription | null, wanted: Partial<PlanInput>, at = noon) =>
  changePlan(current, { tier: 'TEAM', seatCount: 10, ...wanted }, terms, at);

function change(current: Subscription | null, wanted: Partial<PlanInput>, at = noon): PlannedChange {
  const planned = decide(current, wanted, at);
  if (!planned) throw new Error('nothing changes');
  return planned;
}

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

describe('a change of plan from BASIC to TEAM', () => {
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

describe('a change of plan from TEAM to BASIC', () => {
  it('counts from the end of the period and costs nothing now', () => {
    const { ifPaid, bill } = change(subscription(), { tier: 'BASIC', seatCount: 4 });
    expect(bill).toEqual({ lines: [], amountMinor: 0n, creditMinor: 0n });
    expect(ifPaid).toMatchObject({ plan: { tier: 'TEAM', seatCount: 10 }, pending: { tier: 'BASIC', seatCount: 4 } });
  });

  it('is refused already now when more members are active than it will have seats', () => {
    expect(change(subscription(), { tier: 'BASIC', seatCount: 4 }).maxActiveMembers).toBe(4);
  });

  it('is taken back by asking for what it is now, and costs nothing', () => {
    const pending = subscription({ pending: plan({ tier: 'BASIC' }) });
    expect(change(pending, {})).toMatchObject({
      kind: 'resumed',
      bill: { amountMinor: 0n },
      ifPaid: { pending: null },
    });
  });
});

describe('a change of plan within its tier', () => {
  it('changes nothing when it is so already, and asks for no money', () => {
    expect(decide(subscription(), {}, later(3))).toBeNull();
    const later12 = change(subscription(), { seatCount: 12 }, later(15)).ifPaid;
    expect(decide(later12, { seatCount: 12 }, later(15))).toBeNull();
    const fewer = change(subscription(), { seatCount: 8 }).ifPaid;
    expect(decide(fewer, { seatCount: 8 })).toBeNull();
  });

  it('renews by one cycle when that is asked for', () => {
    const { ifPaid, bill, kind } = change(subscription(), { renew: true }, later(3));
    expect(kind).toBe('renewed');
    expect(bill.amountMinor).toBe(30_000n);
    expect(ifPaid.period).toMatchObject({ end: new Date('2026-06-01T12:00:00.000Z'), cycles: 2 });
  });

  it('has no discount on a cycle that begins when the discount is over', () => {
    const ending: Discount = {
      ...{ redemptionId: 'r', code: 'MONTH', percentOff: 50, amountOffMinor: null, currency: null, isOnce: false },
      endsAt: later(31),
    };
    const renewed = (current: Subscription) =>
      changePlan(current, { ...plan(), renew: true }, { ...terms, today: { ...today, discount: ending } }, later(3));
    const first = renewed(subscription());
    expect(first).toMatchObject({ bill: { amountMinor: 15_000n }, redemptionId: 'r' });
    expect(renewed(first?.ifPaid ?? subscription())).toMatchObject({
      ...{ bill: { amountMinor: 30_000n }, redemptionId: null },
      ifPaid: { agreed: [{ cycles: 1 }, { cycles: 1, discount: ending }, { cycles: 1 }] },
    });
  });

  it.each<Partial<PlanInput>>([{ seatCount: 12 }, { tier: 'BASIC' }, { renewalCycle: 'YEARLY' }])(
    'is not renewed and changed at once: %j',
    (other) => {
      expect(() => change(subscription(), { ...other, renew: true })).toThrow(
        'A subscription is renewed with the tier',
      );
    },
  );

  it('takes more seats from now on, for the rest of the period alone', () => {
    const { bill, ifPaid, kind } = change(subscription(), { seatCount: 12 }, later(15));
    expect([kind, bill.amountMinor]).toEqual(['upgraded', 3_000n]);
    expect(ifPaid).toMatchObject({ plan: { seatCount: 12 }, period: subscription().period });
  });

  it('charges two more of three seats for a quarter of a month as agreed, not as sold today', () => {
    const seat = (price: bigint): PlanTerms => ({
      ...today,
      prices: { ...prices, perSeat: { ...prices.perSeat, TEAM: { MONTHLY: price, YEARLY: price * 10n } } },
    });
    const agreed = [{ ...seat(2_900n), cycles: 1 }];
    const three = subscription({ plan: plan({ seatCount: 3 }), agreed });
    const planned = changePlan(three, { tier: 'TEAM', seatCount: 5 }, { ...terms, today: seat(9_900n) }, later(22.5));
    expect(planned?.bill.amountMinor).toBe(1_450n);
    expect(planned?.terms).toMatchObject(seat(2_900n));
    expect(planned?.ifPaid.agreed).toEqual(agreed);
  });

  it('keeps for each cycle that is paid for what was agreed for it', () => {
    const dearer: PlanTerms = {
      ...today,
      prices: { ...prices, perSeat: { ...prices.perSeat, TEAM: { MONTHLY: 6_000n, YEARLY: 60_000n } } },
    };
    const renewed = changePlan(
      subscription(),
      { tier: 'TEAM', seatCount: 10, renew: true },
      { ...terms, today: dearer },
      noon,
    );
    expect(renewed?.bill.amountMinor).toBe(60_000n);
    expect(renewed?.ifPaid.agreed.map(({ cycles }) => cycles)).toEqual([1, 1]);
    // One more seat: half of April at 30, all of May at 60.
    expect(change(renewed?.ifPaid ?? null, { seatCount: 11 }, later(15)).bill.amountMinor).toBe(1_500n + 6_000n);
  });

  it('gives fewer seats from the end of the period on, unless they are taken', () => {
    const { bill, ifPaid, kind, maxActiveMembers } = change(subscription(), { seatCount: 8 }, later(15));
    expect([kind, bill.amountMinor, maxActiveMembers]).toEqual(['downgrade_scheduled', 0n, 8]);
    expect(ifPaid).toMatchObject({ plan: { seatCount: 10 }, pending: { tier: 'TEAM', seatCount: 8 } });
  });

  it('takes a cancellation back', () => {
    const { kind, bill, ifPaid } = change(subscription({ status: 'CANCELING' }), {});
    expect([kind, bill.amountMinor, ifPaid.status]).toEqual(['resumed', 0n, 'ACTIVE']);
    expect(change(subscription({ status: 'CANCELING' }), { seatCount: 8 }).ifPaid.status).toBe('ACTIVE');
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
    for (let year = 0; year < 4; year += 1) current = change(current, { renew: true }).ifPaid;
    expect(() => change(current, { renew: true })).toThrow('at most 5 years ahead');
  });
});

describe('a change of plan to another renewal cycle', () => {
  it('begins at once, and what is unused of the old one counts against its price', () => {
    const { ifPaid, bill } = change(subscription(), { renewalCycle: 'YEARLY' }, later(15));
    expect(bill.amountMinor).toBe(300_000n - 15_000n);
    expect(ifPaid.period).toMatchObject({ start: later(15), cycles: 1 });
  });
});

describe('any chain of changes of a plan', () => {
  const wanted = fc.record({
    tier: fc.constantFrom('BASIC', 'TEAM'),
    seatCount: fc.integer({ min: 1, max: 10_000 }),
    renewalCycle: fc.constantFrom('MONTHLY', 'YEARLY'),
  });
  /** Seats get dearer or cheaper between any two changes. */
  const priced = fc.integer({ min: 1, max: 5 }).map((factor): PlanTerms => {
    const times = (price: bigint) => price * BigInt(factor);
    const { BASIC, TEAM } = prices.perSeat;
    const of = ({ MONTHLY, YEARLY }: typeof TEAM) => ({ MONTHLY: times(MONTHLY), YEARLY: times(YEARLY) });
    return { ...today, prices: { ...prices, perSeat: { BASIC: of(BASIC), TEAM: of(TEAM) } } };
  });
  const discounted = fc.option(
    fc
      .tuple(fc.integer({ min: 1, max: 100 }), fc.boolean(), fc.uuid())
      .map(([part, isAmount, redemptionId]): Discount => ({
        ...{ redemptionId, code: 'C', isOnce: false, endsAt: null, currency: isAmount ? 'EUR' : null },
        ...{ percentOff: isAmount ? null : part, amountOffMinor: isAmount ? BigInt(part) * 50n : null },
      })),
  );
  const worth = (current: Subscription | null, at: Date) =>
    current
      ? current.creditMinor +
        valueLeft(agreedPrices(current.agreed, current.plan), current.period, current.plan.renewalCycle, at)
      : 0n;

  it('never gives or takes a cent: what was left and what is paid is what is left afterwards', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(wanted, fc.boolean(), priced, fc.integer({ min: 0, max: 20 * 86_400_000 }), discounted), {
          maxLength: 12,
        }),
        (steps) => {
          let current: Subscription | null = null;
          let now = noon.getTime();
          for (const [next, renews, pricesNow, waitMs, discount] of steps) {
            now += waitMs;
            const at = new Date(now);
            if (current && current.period.end <= at) return;
            // Five years ahead is as far as it goes.
            if (current && current.period.end.getTime() > now + 3 * 365 * 86_400_000) return;
            const again: PlanInput | null = renews && current ? { ...current.plan, renew: true } : null;
            const sold = { ...terms, today: { ...pricesNow, discount } };
            const planned: PlannedChange | null = changePlan(current, again ?? next, sold, at);
            if (!planned) continue;
            const { bill, ifPaid } = planned;
            // The very same again is no change.
            expect(changePlan(ifPaid, { ...(ifPaid.pending ?? ifPaid.plan) }, sold, at)).toBeNull();
            expect(ifPaid.agreed.reduce((sum, { cycles }) => sum + cycles, 0)).toBe(ifPaid.period.cycles);
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
