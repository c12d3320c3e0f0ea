import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClientPolicy } from './client-policy.ts';
import { dueAlerts, grantQuota, nothingNotified, type PeriodUsage } from './quota.ts';

const policy = (more: Partial<ClientPolicy>): ClientPolicy => ({
  periodDays: 30,
  aiCreditLimit: null,
  infrastructureCreditLimit: null,
  requestLimit: null,
  hardStop: true,
  ...more,
});
const used = (more: Partial<PeriodUsage>): PeriodUsage => ({
  requests: 0n,
  aiCredits: 0n,
  infrastructureCredits: 0n,
  ...more,
});

describe('handing out requests within the limits of a usage policy', () => {
  it('never passes a hard limit, and hands out every last one of it', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 500n),
        fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1 }),
        (limit, wishes) => {
          let requests = 0n;
          for (let round = 0; round < 2_000; round += 1) {
            const wish = wishes[round % wishes.length] ?? 1;
            const { granted } = grantQuota(policy({ requestLimit: limit }), used({ requests }), wish);
            if (granted === 0) break;
            requests += BigInt(granted);
          }
          expect(requests).toBe(limit);
        },
      ),
    );
  });

  it('goes on at a limit of credits, and says which of them are gone', () => {
    const limited = policy({ infrastructureCreditLimit: 10n, aiCreditLimit: 10n, requestLimit: 100n });
    expect(grantQuota(limited, used({ infrastructureCredits: 10n }), 5)).toEqual({
      granted: 5,
      state: 'OUT_OF_CREDITS',
      message: 'The limit of infrastructure credits is reached',
      requestLimit: 100n,
      requestsRemaining: 95n,
      exhausted: ['INFRASTRUCTURE'],
    });
    expect(grantQuota(limited, used({ infrastructureCredits: 11n, aiCredits: 12n }), 5)).toMatchObject({
      message: 'The limit of AI credits and infrastructure credits is reached',
      exhausted: ['AI', 'INFRASTRUCTURE'],
    });
  });

  it('stops at the limit of requests, whatever is left of the credits', () => {
    const limited = policy({ aiCreditLimit: 10n, requestLimit: 100n });
    expect(grantQuota(limited, used({ aiCredits: 10n, requests: 98n }), 5)).toMatchObject({ granted: 1 });
    expect(grantQuota(limited, used({ aiCredits: 10n, requests: 100n }), 5)).toMatchObject({
      granted: 0,
      state: 'OUT_OF_REQUESTS',
      message: 'The limit of requests is reached',
      exhausted: [],
    });
  });

  it('only warns where there is no hard stop', () => {
    const soft = policy({ requestLimit: 10n, hardStop: false });
    expect(grantQuota(soft, used({ requests: 50n }), 5)).toMatchObject({ granted: 5, state: 'WARNING' });
    expect(grantQuota(soft, used({ requests: 1n }), 5)).toMatchObject({ granted: 3, state: 'OPEN', message: '' });
    expect(grantQuota(soft, used({ requests: 8n }), 5)).toMatchObject({
      granted: 1,
      state: 'WARNING',
      message: '80 % of the limit of requests are used',
    });
    const credits = policy({ aiCreditLimit: 10n, hardStop: false });
    expect(grantQuota(credits, used({ aiCredits: 50n }), 5)).toMatchObject({ state: 'WARNING', exhausted: [] });
  });

  it('lets nothing through a limit of zero, and everything without a policy', () => {
    expect(grantQuota(policy({ requestLimit: 0n }), used({}), 5)).toMatchObject({ granted: 0 });
    expect(grantQuota(null, used({ requests: 10n ** 12n }), 5)).toMatchObject({ granted: 5, state: 'OPEN' });
  });
});

describe('alerts of a usage policy', () => {
  const group = {
    clientGroupId: 'g',
    policy: policy({ aiCreditLimit: 100n, requestLimit: 10n }),
    period: { startsOn: '2026-01-01', endsOn: '2026-01-31' },
  };
  const at = new Date('2026-01-05T00:00:00Z');
  const names = (events: ReturnType<typeof dueAlerts>['events']) =>
    events.map(({ data }) => `${data.limit_name} ${data.percent}`);

  it('come at 50, 80 and 100 percent of each limit, each of them once', () => {
    const first = dueAlerts(group, used({ aiCredits: 85n, requests: 4n }), nothingNotified, at);
    expect(names(first.events)).toEqual(['ai_credits 50', 'ai_credits 80']);
    expect(dueAlerts(group, used({ aiCredits: 99n }), first.told, at).events).toEqual([]);
    const last = dueAlerts(group, used({ aiCredits: 100n, requests: 5n }), first.told, at);
    expect(names(last.events)).toEqual(['ai_credits 100', 'requests 50']);
  });

  it('do not come without a policy', () => {
    expect(dueAlerts({ ...group, policy: null }, used({ requests: 99n }), nothingNotified, at).events).toEqual([]);
  });
});
