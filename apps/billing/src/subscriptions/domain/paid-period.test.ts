import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { extendedBy, firstPeriod, periodAfter, valueLeft, type PaidPeriod } from './paid-period.ts';

const dayOf = (date: Date) => date.toISOString().slice(0, 10);
const cycle = fc.constantFrom('MONTHLY', 'YEARLY');
const moment = fc.date({ min: new Date('2024-01-01'), max: new Date('2034-01-01'), noInvalidDate: true });

describe('paid periods', () => {
  it('ends a month begun on the 31st on the last day of shorter months, and comes back to the 31st', () => {
    let period = firstPeriod(new Date('2027-01-31T10:00:00Z'), 'MONTHLY');
    const ends = [dayOf(period.end)];
    for (let month = 0; month < 3; month += 1) {
      period = periodAfter(period, 'MONTHLY');
      ends.push(dayOf(period.end));
    }
    expect(ends).toEqual(['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']);
  });

  it('ends a year begun on 29 February on the 28th', () => {
    expect(dayOf(firstPeriod(new Date('2028-02-29T00:00:00Z'), 'YEARLY').end)).toBe('2029-02-28');
  });

  it('is worth its whole price at its start, nothing at its end, and never more later than earlier', () => {
    fc.assert(
      fc.property(moment, cycle, fc.bigInt(0n, 10n ** 9n), fc.integer({ min: 0, max: 4 }), (start, of, price, more) => {
        let period: PaidPeriod = firstPeriod(start, of);
        for (let index = 0; index < more; index += 1) period = extendedBy(period, of);
        expect(valueLeft(() => price, period, of, period.start)).toBe(price * BigInt(more + 1));
        expect(valueLeft(() => price, period, of, period.end)).toBe(0n);
        const span = period.end.getTime() - period.start.getTime();
        const values = [0.1, 0.35, 0.6, 0.9].map((share) =>
          valueLeft(() => price, period, of, new Date(period.start.getTime() + Math.floor(span * share))),
        );
        expect(values.every((value, index) => index === 0 || value <= (values[index - 1] ?? 0n))).toBe(true);
      }),
    );
  });
});
