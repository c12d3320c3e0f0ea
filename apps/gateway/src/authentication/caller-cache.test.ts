import { describe, expect, it } from '@jest/globals';
import { forbidden, unavailable } from '@platform-backend/core';
import { callerCache, type CallerCache, type ResolvedCaller } from './caller-cache.ts';

const person = (userId: string, organisationId?: string, expiresAt = Number.POSITIVE_INFINITY): ResolvedCaller => ({
  caller: { kind: 'user', service: 'gateway', userId, scopes: [], ...(organisationId && { organisationId }) },
  assertion: 'signed',
  expiresAt,
});
const ada = (organisationId?: string, expiresAt?: number): ResolvedCaller => person('ada', organisationId, expiresAt);

/** A cache on a clock that stands still, and a look-up that counts and can be made to wait or fail. */
function cacheOnClock(): {
  cache: CallerCache;
  pass(ms: number): void;
  look(answer?: ResolvedCaller | Error): () => Promise<ResolvedCaller>;
  readonly lookUps: number;
} {
  let time = 1_000_000;
  let lookUps = 0;
  const now = (): number => time;
  const cache = callerCache({ maxAgeMs: 1_500, refreshAfterMs: 1_000, maxEntries: 3, monotonic: now, now });
  return {
    cache,
    pass: (ms) => (time += ms),
    look:
      (answer = ada('org')) =>
      () => {
        lookUps += 1;
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    get lookUps() {
      return lookUps;
    },
  };
}

describe('remembering callers', () => {
  it('gives a remembered caller at once, without a promise and without a look-up', async () => {
    const test = cacheOnClock();
    const first = await test.cache.get('key', test.look());
    test.pass(999);
    expect(test.cache.get('key', test.look())).toBe(first);
    expect(test.lookUps).toBe(1);
  });

  it('never gives a caller out that is older than the limit, counted from the beginning of its look-up', async () => {
    const test = cacheOnClock();
    const answer = Promise.withResolvers<ResolvedCaller>();
    const slow = test.cache.get('key', () => answer.promise);
    test.pass(1_400);
    answer.resolve(ada('org'));
    await slow;
    expect(test.cache.get('key', test.look())).not.toBeInstanceOf(Promise);
    test.pass(100);
    expect(test.cache.get('key', test.look())).toBeInstanceOf(Promise);
  });

  it('asks again in the background for a caller in use, so that nobody waits', async () => {
    const test = cacheOnClock();
    await test.cache.get('key', test.look());
    test.pass(1_000);
    expect(test.cache.get('key', test.look())).not.toBeInstanceOf(Promise);
    expect(test.lookUps).toBe(2);
    await Promise.resolve();
    test.pass(999);
    expect(test.cache.get('key', test.look())).not.toBeInstanceOf(Promise);
    expect(test.lookUps).toBe(2);
  });

  it('asks once for many requests at the same time', async () => {
    const test = cacheOnClock();
    await Promise.all(Array.from({ length: 10 }, async () => await test.cache.get('key', test.look())));
    expect(test.lookUps).toBe(1);
  });

  it('does not outlive the credential', async () => {
    const test = cacheOnClock();
    await test.cache.get('key', test.look(ada('org', 1_000_200)));
    test.pass(199);
    expect(test.cache.get('key', test.look())).not.toBeInstanceOf(Promise);
    test.pass(1);
    expect(test.cache.get('key', test.look())).toBeInstanceOf(Promise);
  });

  it('does not remember failures', async () => {
    const test = cacheOnClock();
    await expect(test.cache.get('key', test.look(forbidden()))).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(test.cache.get('key', test.look())).resolves.toMatchObject({ caller: { userId: 'ada' } });
  });

  it('does not remember that somebody has no organisation, which may change with the next request', async () => {
    const test = cacheOnClock();
    await test.cache.get('key', test.look(ada()));
    expect(test.cache.size).toBe(0);
  });

  it('forgets a caller who is refused in the background, and keeps one while identity is away', async () => {
    const test = cacheOnClock();
    await test.cache.get('key', test.look());
    test.pass(1_100);
    void test.cache.get('key', test.look(unavailable(undefined)));
    await new Promise(setImmediate);
    expect(test.cache.size).toBe(1);
    void test.cache.get('key', test.look(forbidden()));
    await new Promise(setImmediate);
    expect(test.cache.size).toBe(0);
  });

  it('gives the room of callers who went away back as others come', async () => {
    const test = cacheOnClock();
    await test.cache.get('a', test.look());
    await test.cache.get('b', test.look());
    test.pass(1_500);
    await test.cache.get('c', test.look());
    expect(test.cache.size).toBe(1);
  });

  it('holds no more than its limit, the oldest going first', async () => {
    const test = cacheOnClock();
    for (const key of ['a', 'b', 'c', 'd']) await test.cache.get(key, test.look());
    expect(test.cache.size).toBe(3);
    expect(test.cache.get('d', test.look())).not.toBeInstanceOf(Promise);
    expect(test.cache.get('a', test.look())).toBeInstanceOf(Promise);
  });
});

describe('dropping an organisation from the remembered callers', () => {
  it('forgets its callers and nobody else', async () => {
    const test = cacheOnClock();
    await test.cache.get('one', test.look(ada('org_one')));
    await test.cache.get('two', test.look(ada('org_two')));
    test.cache.dropOrganisation('org_one');
    expect(test.cache.get('two', test.look())).not.toBeInstanceOf(Promise);
    expect(test.cache.get('one', test.look())).toBeInstanceOf(Promise);
  });

  it('also stops an answer that was on its way from being remembered', async () => {
    const test = cacheOnClock();
    const answer = Promise.withResolvers<ResolvedCaller>();
    const onItsWay = test.cache.get('key', () => answer.promise);
    test.cache.dropOrganisation('org');
    answer.resolve(ada('org'));
    await onItsWay;
    expect(test.cache.size).toBe(0);
  });
});

describe('something that is dropped while callers are being looked up', () => {
  it('takes nothing from those whom it does not concern: one look-up serves all, and is remembered', async () => {
    const test = cacheOnClock();
    const answer = Promise.withResolvers<ResolvedCaller>();
    const before = test.cache.get('key', () => answer.promise);
    test.cache.dropUser('bob');
    test.cache.dropOrganisation('another');
    test.cache.dropApiKey('key_one');
    const after = test.cache.get('key', test.look());
    answer.resolve(ada('org'));
    expect(await after).toBe(await before);
    expect(test.lookUps).toBe(0);
    expect(test.cache.get('key', test.look())).not.toBeInstanceOf(Promise);
  });

  it.each<[string, (cache: CallerCache) => void]>([
    ['the user', (cache) => cache.dropUser('ada')],
    ['the organisation', (cache) => cache.dropOrganisation('org')],
    ['everybody', (cache) => cache.clear()],
  ])('has whoever asks afterwards looked up anew where it concerns them: %s', async (_whom, drop) => {
    const test = cacheOnClock();
    const answer = Promise.withResolvers<ResolvedCaller>();
    const before = test.cache.get('key', () => answer.promise);
    drop(test.cache);
    const changed = ada('org');
    const after = [test.cache.get('key', test.look(changed)), test.cache.get('key', test.look(changed))] as const;
    answer.resolve(ada('org'));
    expect(await before).not.toBe(changed);
    for (const one of after) expect(await one).toBe(changed);
    expect(test.lookUps).toBe(1);
    expect(test.cache.get('key', test.look())).toBe(changed);
  });

  it('may be what admits somebody: who was refused, or had no organisation, is looked up anew', async () => {
    for (const answered of [forbidden(), ada()]) {
      const test = cacheOnClock();
      const answer = Promise.withResolvers<ResolvedCaller>();
      const before = Promise.resolve(test.cache.get('key', () => answer.promise)).catch(() => 'refused');
      test.cache.dropOrganisation('org');
      const after = test.cache.get('key', test.look(ada('org')));
      if (answered instanceof Error) answer.reject(answered);
      else answer.resolve(answered);
      await before;
      expect((await after).caller.organisationId).toBe('org');
    }
  });
});

describe('dropping a user from the remembered callers', () => {
  it('forgets the user in every organisation and nobody else', async () => {
    const test = cacheOnClock();
    await test.cache.get('one', test.look(ada('org_one')));
    await test.cache.get('two', test.look(ada('org_two')));
    await test.cache.get('bob', test.look(person('bob', 'org_one')));
    test.cache.dropUser('ada');
    expect(test.cache.size).toBe(1);
    expect(test.cache.get('bob', test.look())).not.toBeInstanceOf(Promise);
  });
});

describe('dropping a key', () => {
  const withKey = (apiKeyId: string): ResolvedCaller => ({
    ...ada('org'),
    caller: { ...ada('org').caller, kind: 'api_key', apiKeyId },
  });

  it('forgets that key and no other, and a user takes their keys along', async () => {
    const test = cacheOnClock();
    await test.cache.get('one', test.look(withKey('key_one')));
    await test.cache.get('two', test.look(withKey('key_two')));
    await test.cache.get('ada', test.look());
    test.cache.dropApiKey('key_one');
    expect(test.cache.size).toBe(2);
    expect(test.cache.get('two', test.look())).not.toBeInstanceOf(Promise);
    test.cache.dropUser('ada');
    expect(test.cache.size).toBe(0);
  });
});
