import { describe, expect, it } from '@jest/globals';
import { clientGroup } from '../../../test/examples.ts';
import type { ClientPolicy } from './client-group.ts';
import { runningUsage } from './running-usage.ts';

const createdAt = new Date('2026-05-01T17:30:00.000Z');
const weekly: ClientPolicy = {
  periodDays: 7,
  aiCreditLimit: null,
  infrastructureCreditLimit: null,
  requestLimit: 10n,
  hardStop: true,
};
const usage = {
  requests: 12,
  ai_credits: 3,
  plan: 'TEAM',
  period_started_at: '2026-05-01T00:00:00.000Z',
  period_ends_at: '2026-05-08T00:00:00.000Z',
};
const shownAt = (at: string, policy: ClientPolicy | null = weekly) =>
  runningUsage(clientGroup({ createdAt, policy, usage }), new Date(at));

describe('the usage shown of a client group', () => {
  it('is what was reported until the very end of its period', () => {
    expect(shownAt('2026-05-07T23:59:59.999Z')).toBe(usage);
  });

  it('starts again from nothing with the next period, which nobody has reported yet', () => {
    expect(shownAt('2026-05-08T00:00:00.000Z')).toEqual({
      requests: 0,
      ai_credits: 0,
      plan: 'TEAM',
      period_started_at: '2026-05-08T00:00:00.000Z',
      period_ends_at: '2026-05-15T00:00:00.000Z',
    });
  });

  it('is of the period that runs, however many have passed', () => {
    expect(shownAt('2026-06-02T12:00:00.000Z')).toMatchObject({
      period_started_at: '2026-05-29T00:00:00.000Z',
      period_ends_at: '2026-06-05T00:00:00.000Z',
    });
  });

  it('is counted in stretches of thirty days without a policy', () => {
    expect(shownAt('2026-06-02T12:00:00.000Z', null)).toMatchObject({
      requests: 0,
      period_started_at: '2026-05-31T00:00:00.000Z',
      period_ends_at: '2026-06-30T00:00:00.000Z',
    });
  });

  it.each([{}, { requests: 3 }, { requests: 3, period_ends_at: null }, { requests: 3, period_ends_at: 'soon' }])(
    'is left alone when no period is reported with it: %p',
    (reported) => {
      expect(runningUsage(clientGroup({ usage: reported }), new Date('2030-01-01'))).toBe(reported);
    },
  );
});
