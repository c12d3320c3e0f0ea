import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { discountOf, redeem, stateOf, type Coupon, type Redemption } from './coupon.ts';
import { discountAt, discountOn, type Discount } from './discount.ts';
import { discountRunning, promotionCodeExpired, promotionCodeUsed } from './errors.ts';

const at = new Date('2026-01-31T12:00:00Z');
const coupon = (more: Partial<Coupon> = {}): Coupon => ({
  ...{ code: 'TWENTY', percentOff: 20, amountOffMinor: null, currency: null, duration: 'ONCE', durationMonths: null },
  ...{ redeemBy: null, maxRedemptions: null, redemptions: 0, archivedAt: null, createdAt: at },
  ...more,
});
const redeemed = (more: Partial<Coupon> = {}, known: readonly Redemption[] = []) =>
  redeem(coupon(more), known, 'redemption_1', at).redemption;
const discount = (more: Partial<Discount> = {}): Discount => ({
  ...{ redemptionId: 'r', code: 'C', percentOff: 20, amountOffMinor: null, currency: null, isOnce: true, endsAt: null },
  ...more,
});

describe('a coupon', () => {
  it.each([[{ maxRedemptions: 3, redemptions: 3 }], [{ redeemBy: at }], [{ archivedAt: at }]])(
    'is redeemed by nobody when it is over: %j',
    (more) => {
      expect(() => redeemed(more)).toThrow(promotionCodeExpired());
    },
  );

  it('is redeemed once by an organisation, and not while another discount of it runs', () => {
    const first = redeemed();
    expect(() => redeemed({}, [first])).toThrow(promotionCodeUsed());
    expect(() => redeemed({ code: 'OTHER' }, [first])).toThrow(discountRunning());
    expect(redeemed({ code: 'OTHER' }, [{ ...first, usedAt: at }])).toMatchObject({ code: 'OTHER' });
  });

  it('lasts for one cycle, some months, or for ever', () => {
    const months = redeemed({ duration: 'REPEATING', durationMonths: 1 });
    // February has no 31st.
    expect(months.endsAt).toEqual(new Date('2026-02-28T12:00:00Z'));
    const used = { usedAt: at };
    const states = [redeemed(), { ...redeemed(), ...used }, { ...redeemed({ duration: 'FOREVER' }), ...used }, months];
    expect(states.map((one) => stateOf(one, at))).toEqual(['ACTIVE', 'USED', 'ACTIVE', 'ACTIVE']);
    expect(stateOf(months, months.endsAt ?? at)).toBe('ENDED');
    expect(discountOf([months], at)).toMatchObject({ code: 'TWENTY', isOnce: false, endsAt: months.endsAt });
    expect(discountOf([{ ...redeemed(), ...used }], at)).toBeNull();
  });
});

describe('what a discount takes off', () => {
  it('is its share of the price or its amount, and nothing in another currency', () => {
    expect(discountOn(discount(), 2_900n, 'EUR')).toBe(580n);
    const amount = discount({ percentOff: null, amountOffMinor: 500n, currency: 'EUR' });
    expect(discountOn(amount, 2_900n, 'EUR')).toBe(500n);
    expect(discountOn(amount, 400n, 'EUR')).toBe(400n);
    expect(discountOn(amount, 2_900n, 'USD')).toBe(0n);
    expect(discountOn(null, 2_900n, 'EUR')).toBe(0n);
    const uneven = discount({ percentOff: null, amountOffMinor: 150n, currency: 'ISK' });
    expect([1_000n, 100n].map((price) => discountOn(uneven, price, 'ISK'))).toEqual([200n, 100n]);
  });

  it('is never more than the price, and a number of minor units that can be paid', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.bigInt({ min: 0n, max: 10_000_000n }),
        fc.constantFrom('EUR', 'JPY', 'KWD'),
        (percentOff, price, currency) => {
          const whole = currency === 'KWD' ? price - (price % 10n) : price;
          const off = discountOn(discount({ percentOff }), whole, currency);
          expect(off >= 0n && off <= whole).toBe(true);
          if (currency === 'KWD') expect(off % 10n).toBe(0n);
          expect(off * 100n >= whole * BigInt(percentOff)).toBe(true);
          if (percentOff === 100) expect(off).toBe(whole);
        },
      ),
    );
  });

  it('counts for cycles that begin before it ends', () => {
    const ending = discount({ endsAt: at });
    expect([discountAt(ending, new Date(at.getTime() - 1)), discountAt(ending, at)]).toEqual([ending, null]);
  });
});
