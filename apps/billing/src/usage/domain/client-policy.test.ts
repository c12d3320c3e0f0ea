import { describe, expect, it } from '@jest/globals';
import { groupCreditLimit, periodAt } from './client-policy.ts';

const policy = {
  periodDays: 7,
  aiCreditLimit: null,
  infrastructureCreditLimit: null,
  requestLimit: null,
  hardStop: true,
};
const group = { clientGroupId: 'g', policy, countedFrom: '2026-01-01' };

describe('the period of a policy', () => {
  it('is counted in whole UTC days from the day of the group', () => {
    const first = { startsOn: '2026-01-01', endsOn: '2026-01-08' };
    expect(periodAt(group, new Date('2026-01-01T00:00:00Z'))).toEqual(first);
    expect(periodAt(group, new Date('2026-01-07T23:59:59.999Z'))).toEqual(first);
    expect(periodAt(group, new Date('2026-01-08T00:00:00Z'))).toEqual({ startsOn: '2026-01-08', endsOn: '2026-01-15' });
  });

  it('has thirty days where there is no policy', () => {
    expect(periodAt({ ...group, policy: null }, new Date('2026-02-01T10:00:00Z'))).toEqual({
      startsOn: '2026-01-31',
      endsOn: '2026-03-02',
    });
  });
});

describe('the limit that reservations are held to', () => {
  const at = new Date('2026-01-09T10:00:00Z');
  const limited = (more: object) => ({ ...group, policy: { ...policy, aiCreditLimit: 5n, ...more } });

  it('is that of their class in the running period', () => {
    expect(groupCreditLimit(limited({}), 'AI', at)).toEqual({ amount: 5n, since: '2026-01-08' });
    expect(groupCreditLimit(limited({}), 'INFRASTRUCTURE', at)).toBeNull();
    expect(groupCreditLimit(limited({ infrastructureCreditLimit: 0n }), 'INFRASTRUCTURE', at)).toMatchObject({
      amount: 0n,
    });
  });

  it('is none without a hard stop, and none without a policy', () => {
    expect(groupCreditLimit(limited({ hardStop: false }), 'AI', at)).toBeNull();
    expect(groupCreditLimit({ ...group, policy: null }, 'AI', at)).toBeNull();
  });
});
