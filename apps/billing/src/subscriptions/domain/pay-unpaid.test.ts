import { describe, expect, it } from '@jest/globals';
import { subscription } from './examples.ts';
import { awaitsPayment } from './pay-unpaid.ts';

describe('a renewal that was refused', () => {
  it('can be paid while the subscription is past due, and not once the release before has renewed it', () => {
    const refused = subscription({ status: 'PAST_DUE', unpaidChangeId: 'change-1' });
    expect(awaitsPayment(refused)).toBe(true);
    expect(awaitsPayment({ ...refused, status: 'ACTIVE' })).toBe(false);
    expect(awaitsPayment({ ...refused, status: 'ENDED' })).toBe(false);
    expect(awaitsPayment({ ...refused, unpaidChangeId: null })).toBe(false);
  });
});
