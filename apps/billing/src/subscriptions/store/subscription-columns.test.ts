import { describe, expect, it } from '@jest/globals';
import { subscription, today } from '../test/examples.ts';
import { subscriptionColumns } from './subscription-columns.ts';

describe('a trial as it is kept', () => {
  const trialing = subscription({ agreed: [{ ...today, cycles: 1, isTrial: true }] });
  const row = subscriptionColumns.write(trialing);

  it('is read with what seats cost after it', () => {
    expect(subscriptionColumns.read(row)).toEqual(trialing);
  });

  it('costs nothing for the release before, which knows no trials and would give back what was agreed for it', () => {
    const [agreed] = JSON.parse(String(row['agreed'])) as [{ minor_units_per_seat: object }];
    expect(agreed.minor_units_per_seat).toEqual({
      BASIC: { MONTHLY: '0', YEARLY: '0' },
      TEAM: { MONTHLY: '0', YEARLY: '0' },
    });
  });
});
