import { fixedClock, unavailable } from '@platform/core';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { billingItself } from '../../domain/acting.ts';
import type { PolicyOfGroup } from '../../domain/usage/client-policy.ts';
import { recentPolicies, type RecentPolicies } from './recent-policies.ts';
import type { UsageParts } from './usage-parts.ts';

const by = billingItself('org_1', 'test');
const clock = fixedClock();
let version: string;
let away: boolean;
let asked: number;
let policies: RecentPolicies;

/** Identity as it is now; each answer names the version of the policy. */
const policyOf = (): Promise<PolicyOfGroup> => {
  asked += 1;
  if (away) return Promise.reject(unavailable(new Error('no identity')));
  return Promise.resolve({ clientGroupId: version, countedFrom: '2026-01-01', policy: null });
};

beforeEach(() => {
  version = 'first';
  away = false;
  asked = 0;
  policies = recentPolicies({
    clock,
    clientGroups: { policyOf },
    usage: { rememberPolicy: () => Promise.resolve(), knownPolicy: () => Promise.resolve(null) },
  } as unknown as UsageParts);
});

/** What was asked for beside the work has been answered then: no answer here waits for anything. */
const answered = () => new Promise((resolve) => setImmediate(resolve));

const seen = async () => (await policies.recentPolicy(by, null))?.clientGroupId;

describe('a policy, when nobody tells of changes', () => {
  it('is believed for a few seconds', async () => {
    expect(await seen()).toBe('first');
    version = 'second';
    clock.advance(2_000);
    expect([await seen(), asked]).toEqual(['first', 1]);
    clock.advance(3_000);
    expect([await seen(), asked]).toEqual(['second', 2]);
  });

  it('is asked for beside the work while it is still believed', async () => {
    await seen();
    version = 'second';
    clock.advance(3_000);
    expect([await seen(), asked]).toEqual(['first', 2]);
    await answered();
    expect([await seen(), asked]).toEqual(['second', 2]);
  });

  it('stays as it was while identity is away', async () => {
    await seen();
    away = true;
    clock.advance(60_000);
    expect(await seen()).toBe('first');
  });
});

describe('a policy, while changes are told', () => {
  beforeEach(() => policies.news.flows());

  it('is asked for once in a minute', async () => {
    await seen();
    clock.advance(49_000);
    expect([await seen(), asked]).toEqual(['first', 1]);
    version = 'second';
    clock.advance(11_000);
    expect([await seen(), asked]).toEqual(['second', 2]);
  });

  it('is asked for at once when a change is told, and by nobody else', async () => {
    await seen();
    clock.advance(1_000);
    policies.news.changed('org_2');
    expect([await seen(), asked]).toEqual(['first', 1]);
    version = 'second';
    policies.news.changed('org_1');
    expect([await seen(), asked]).toEqual(['second', 2]);
    clock.advance(1_000);
    expect([await seen(), asked]).toEqual(['second', 2]);
  });

  it('is not believed from an answer that a change overtook', async () => {
    const slow = seen();
    policies.news.changed('org_1');
    version = 'second';
    await slow;
    expect(await seen()).toBe('second');
  });

  it('is believed for a few seconds again while they are interrupted', async () => {
    await seen();
    policies.news.interrupted();
    version = 'second';
    clock.advance(5_000);
    expect(await seen()).toBe('second');
    policies.news.flows();
    clock.advance(49_000);
    expect([await seen(), asked]).toEqual(['second', 2]);
  });
});

it('a policy heard before changes were told for the first time is believed no longer for it', async () => {
  await seen();
  clock.advance(1_000);
  policies.news.flows();
  version = 'second';
  clock.advance(4_000);
  expect(await seen()).toBe('second');
});
