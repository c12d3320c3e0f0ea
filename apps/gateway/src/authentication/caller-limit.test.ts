import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '@platform-backend/auth';
import type { Exchange } from '../exchange/exchange.ts';
import { callerLimit, type CallerLimit } from './caller-limit.ts';

const MINUTE_MS = 60_000;

let now = 0;
beforeEach(() => {
  now = 0;
});

const limited = (perMinute: number, burst: number, maxCallers = 100): CallerLimit =>
  callerLimit({ perMinute, burst, maxCallers, monotonic: () => now });

const person = (userId: string, organisationId = 'org_a'): Caller => ({
  kind: 'user',
  service: 'gateway',
  userId,
  organisationId,
  scopes: [],
});
const key = (apiKeyId: string, userId: string): Caller => ({ ...person(userId), kind: 'api_key', apiKeyId });

/** What a request is told: the error and its headers; undefined when it passes. */
function told(limit: CallerLimit, caller: Caller): { error: unknown; headers: string[] } | undefined {
  const headers: string[] = [];
  try {
    limit({ headers } as unknown as Exchange, caller);
    return undefined;
  } catch (error) {
    return { error, headers };
  }
}

/** How many of so many requests at once pass. */
const passing = (limit: CallerLimit, caller: Caller, requests: number): number =>
  Array.from({ length: requests }, () => told(limit, caller)).filter((answer) => answer === undefined).length;

describe('the limit of a credential', () => {
  it('lets a burst pass and refuses the next, saying when to come back', () => {
    const limit = limited(20, 3);
    expect(passing(limit, person('ada'), 3)).toBe(3);
    expect(told(limit, person('ada'))).toEqual({
      error: expect.objectContaining({ kind: 'rate_limited', code: 'credential_limit_reached', retryAfterSeconds: 3 }),
      headers: ['RateLimit', '"credential";r=0;t=3', 'RateLimit-Policy', '"credential";q=20;w=60'],
    });
    now += 3_000;
    expect(passing(limit, person('ada'), 2)).toBe(1);
  });

  it('lets so many a minute pass, evenly, and no more than a burst after a long silence', () => {
    const limit = limited(600, 100);
    expect(passing(limit, person('ada'), 1_000)).toBe(100);
    let passed = 0;
    for (let step = 0; step < 60; step += 1) {
      now += MINUTE_MS / 60;
      passed += passing(limit, person('ada'), 50);
    }
    expect(passed).toBe(600);
    now += 100 * MINUTE_MS;
    expect(passing(limit, person('ada'), 1_000)).toBe(100);
  });

  it('is no longer by trying again meanwhile', () => {
    const limit = limited(60, 1);
    expect(passing(limit, person('ada'), 100)).toBe(1);
    now += 1_000;
    expect(told(limit, person('ada'))).toBeUndefined();
  });

  it('is that of a person in all organisations, and that of a key apart from whoever made it', () => {
    const limit = limited(60, 1);
    expect(told(limit, person('ada', 'org_a'))).toBeUndefined();
    expect(told(limit, person('ada', 'org_b'))).toBeDefined();
    expect(told(limit, key('key-1', 'ada'))).toBeUndefined();
    expect(told(limit, key('key-1', 'ada'))).toBeDefined();
    expect(told(limit, key('key-2', 'ada'))).toBeUndefined();
    expect(told(limit, person('bob'))).toBeUndefined();
  });

  it('is not that of callers without a credential', () => {
    expect(passing(limited(60, 1), { kind: 'anonymous', service: 'gateway', scopes: [] }, 10)).toBe(10);
  });

  it('remembers a bounded number of credentials, and forgets whoever was silent longest', () => {
    const limit = limited(60, 1, 2);
    expect(passing(limit, person('ada'), 1)).toBe(1);
    expect(passing(limit, person('bob'), 1)).toBe(1);
    expect(passing(limit, person('ada'), 1)).toBe(0);
    expect(passing(limit, person('eve'), 1)).toBe(1);
    expect(passing(limit, person('ada'), 1)).toBe(0);
    expect(passing(limit, person('bob'), 1)).toBe(1);
  });
});
