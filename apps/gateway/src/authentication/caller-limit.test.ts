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
function told(limit: CallerLimit, caller: Caller, cost = 1): { error: unknown; headers: string[] } | undefined {
  const headers: string[] = [];
  const error = limit.admit({ headers } as unknown as Exchange, caller, cost);
  return error && { error, headers };
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

  it('says what is left to an operation that costs more than that, and when there is enough for it', () => {
    const limit = limited(60, 4);
    expect(passing(limit, person('ada'), 1)).toBe(1);
    expect(told(limit, person('ada'), 4)?.headers).toContain('"credential";r=3;t=1');
    limit.countElsewhere('ada', 10);
    expect(told(limit, person('ada'), 4)?.headers).toContain('"credential";r=0;t=11');
    expect(told(limited(60, 4), person('ada'), 9)).toBeUndefined();
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

  it('is used up sooner by what costs more, and lets a full bucket have what costs more than it holds', () => {
    const limit = limited(60, 10);
    expect(told(limit, person('ada'), 8)).toBeUndefined();
    expect(told(limit, person('ada'), 5)).toMatchObject({ error: { retryAfterSeconds: 3 } });
    expect(told(limit, person('ada'), 2)).toBeUndefined();
    expect(told(limit, person('bob'), 50)).toBeUndefined();
    expect(told(limit, person('bob'), 1)).toBeDefined();
  });
});

describe('several gateways that tell each other what they let through', () => {
  /** Gateways whose counts arrive when `exchange` is called. */
  function gateways(count: number, perMinute: number, burst: number) {
    const untold: { from: number; name: string; requests: number }[] = [];
    const limits = Array.from({ length: count }, (_, from) =>
      callerLimit({
        perMinute,
        burst,
        maxCallers: 100,
        monotonic: () => now,
        counted: (name, requests) => untold.push({ from, name, requests }),
      }),
    );
    const exchange = (): void => {
      for (const { from, name, requests } of untold.splice(0)) {
        for (const [to, limit] of limits.entries()) if (to !== from) limit.countElsewhere(name, requests);
      }
    };
    return { limits, exchange };
  }

  it('let as many pass in the long run as one would', () => {
    const { limits, exchange } = gateways(3, 600, 50);
    let passed = 0;
    const minutes = 2;
    // Ten times a second, as the gateways tell each other, and far more than may pass at each.
    for (let step = 0; step < minutes * 600; step += 1) {
      for (const limit of limits) passed += passing(limit, person('ada'), 3);
      exchange();
      now += MINUTE_MS / 600;
    }
    // What each lets pass at first, before it knows of the others, is owed and not let through later.
    expect(passed).toBeLessThanOrEqual(minutes * 600 + 50 + limits.length);
    expect(passed).toBeGreaterThanOrEqual(minutes * 600 - 100);
  });

  it('forgive a debt beyond a minute', () => {
    const [limit] = gateways(1, 60, 10).limits;
    limit?.countElsewhere('ada', 1_000_000);
    now += MINUTE_MS + 1_000;
    expect(limit && passing(limit, person('ada'), 5)).toBe(1);
  });
});
