import { describe, expect, it } from '@jest/globals';
import { later, subscription, today } from '../test/examples.ts';
import { awaitsPayment, payUnpaid } from './pay-unpaid.ts';
import { renewOnSchedule } from './renew-subscription.ts';

describe('a renewal that was refused', () => {
  it('can be paid while the subscription is past due, and not once the release before has renewed it', () => {
    const refused = subscription({ status: 'PAST_DUE', unpaidChangeId: 'change-1' });
    expect(awaitsPayment(refused)).toBe(true);
    expect(awaitsPayment({ ...refused, status: 'ACTIVE' })).toBe(false);
    expect(awaitsPayment({ ...refused, status: 'ENDED' })).toBe(false);
    expect(awaitsPayment({ ...refused, unpaidChangeId: null })).toBe(false);
  });

  it('is paid as its invoice says, and what has come to what is left over since is kept', () => {
    const renewal = renewOnSchedule(
      subscription({ creditMinor: 1_000n }),
      today,
      { graceDays: 14, retryHours: 24 },
      later(30),
    );
    if (!renewal?.ifRefused) throw new Error('nothing is renewed');
    const unpaid = { ...renewal, id: 'change-1' };
    const paidWith = (creditMinor: bigint) =>
      payUnpaid({ ...subscription({ ...renewal.ifRefused }), creditMinor }, unpaid, null);
    expect(paidWith(1_000n)).toMatchObject({ bill: { amountMinor: 29_000n }, ifPaid: { creditMinor: 0n } });
    expect(paidWith(1_700n)).toMatchObject({
      bill: { amountMinor: 29_000n, creditMinor: 700n },
      ifPaid: { creditMinor: 700n },
    });
  });
});
