import { describe, expect, it } from '@jest/globals';
import { notFound, unavailable } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import fc from 'fast-check';
import type { Lease, LeaseRequest, QuotaHolder } from './lease.ts';
import { quotaBook, type Admission } from './quota-book.ts';

const holder: QuotaHolder = { organisationId: 'org', clientGroupId: 'group', apiKeyId: 'key' };
const logger = createLogger({ service: 'test', level: 'silent' });
const lifetimeMs = 10_000;

/** How billing answers the next call. */
type Mood = 'well' | 'away' | 'deaf' | 'refuses';

/** Billing with a hard limit, as its contract says, and a clock. Answers wait for `answerAll` when `slow`. */
function billing(limit: number, { slow = false, clockMs = 0 } = {}) {
  let now = 1_000_000;
  let mood: Mood = 'well';
  const leases = new Map<string, { answer: Lease; used: number | undefined }>();
  const reports = new Map<string, number>();
  const wishes: LeaseRequest[] = [];
  const waiting: (() => void)[] = [];

  const taken = (): number => [...leases.values()].reduce((sum, { answer, used }) => sum + (used ?? answer.granted), 0);
  const decide = (wish: LeaseRequest): Lease => {
    const last = leases.get(wish.lastLeaseId ?? '');
    if (last) last.used ??= wish.usedOfLastLease;
    const known = leases.get(wish.leaseId);
    if (known) return known.answer;
    const left = limit - taken();
    const granted = Math.min(wish.requested, Math.ceil(left / 4));
    const answer: Lease = {
      leaseId: wish.leaseId,
      granted,
      expiresAt: new Date(now + clockMs + lifetimeMs),
      state: granted === 0 ? 'OUT_OF_REQUESTS' : 'OPEN',
      message: '',
      requestLimit: String(limit),
      resetsAt: null,
      exhausted: [],
    };
    leases.set(wish.leaseId, { answer, used: undefined });
    return answer;
  };
  const hold = (): Promise<void> => (slow ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve());
  const lease = async (_: QuotaHolder, wish: LeaseRequest): Promise<Lease> => {
    wishes.push(wish);
    await hold();
    if (mood === 'away') throw unavailable(new Error('away'));
    if (mood === 'refuses') throw notFound('Organisation');
    const answer = decide(wish);
    // Heard, and the answer is lost on its way.
    if (mood === 'deaf') throw unavailable(new Error('cut'));
    return answer;
  };
  const report = async (_: QuotaHolder, { id, requests }: { id: string; requests: number }): Promise<void> => {
    await hold();
    if (mood !== 'well') throw unavailable(new Error('away'));
    reports.set(id, requests);
  };

  return {
    wishes,
    /** Counted as used: what is leased, or what was said to be used of it. */
    taken,
    reported: () => [...reports.values()].reduce((sum, requests) => sum + requests, 0),
    pass: (ms: number) => (now += ms),
    become: (next: Mood) => (mood = next),
    book: (maxHolders?: number) =>
      quotaBook({ lease, report, logger, now: () => now, ...(maxHolders !== undefined && { maxHolders }) }),
    answerOne: () => waiting.shift()?.(),
    answerAll: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

const isThrough = (admission: Admission): boolean => admission?.state !== 'OUT_OF_REQUESTS';

/** Everything that promises have set off by now is done. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the quota book', () => {
  it('lets through exactly the limit, over several gateways and many requests at once', async () => {
    const { book, wishes } = billing(1_000);
    const gateways = [book(), book(), book()];
    const admissions = await Promise.all(
      Array.from({ length: 3_000 }, async (_, number) => gateways[number % 3]?.admit(holder)),
    );
    expect(admissions.filter(isThrough)).toHaveLength(1_000);
    expect(wishes.length).toBeLessThan(100);
  });

  it('lets nobody through beyond a hard limit, and everybody up to it, in whatever order things happen', async () => {
    const requests = fc.record({
      kind: fc.constant('requests' as const),
      of: fc.nat(2),
      by: fc.constantFrom('key', 'other', 'third'),
      count: fc.nat(30),
    });
    const step = fc.oneof(
      { weight: 6, arbitrary: requests },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('answer' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(12_000) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('tidy' as const), of: fc.nat(2) }) },
    );
    const history = fc.array(step, { minLength: 10, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.nat(120), fc.constantFrom(1, 2, 100), history, async (limit, maxHolders, steps) => {
        const { book, pass, answerOne, answerAll, taken } = billing(limit, { slow: true });
        const gateways = [book(maxHolders), book(maxHolders), book(maxHolders)];
        let through = 0;
        const pending: Promise<void>[] = [];
        const request = async (gateway: ReturnType<typeof book> | undefined, apiKeyId = 'key'): Promise<void> => {
          if (gateway && isThrough(await gateway.admit({ ...holder, apiKeyId }))) through += 1;
        };
        for (const each of steps) {
          if (each.kind === 'requests')
            for (let n = 0; n < each.count; n += 1) pending.push(request(gateways[each.of], each.by));
          else if (each.kind === 'answer') answerOne();
          else if (each.kind === 'pass') pass(each.ms);
          else gateways[each.of]?.tidy();
          await settled();
          expect(through).toBeLessThanOrEqual(limit);
        }
        // Now so many more come that all of the limit is wanted, until what others hold unused is over.
        const end = { reached: false };
        const rest = (async () => {
          await Promise.all(pending);
          for (let n = 0; n < limit + 70; n += 1) {
            for (const gateway of gateways) {
              await request(gateway);
              gateway.tidy();
            }
            pass(200);
          }
          await Promise.all(gateways.map((gateway) => gateway.close()));
          end.reached = true;
        })();
        while (!end.reached) {
          answerAll();
          await settled();
        }
        await rest;
        expect(through).toBe(limit);
        expect(taken()).toBe(limit);
      }),
      { numRuns: 150 },
    );
  });

  it('asks once for all who wait, and not again for each who is refused', async () => {
    const { book, wishes, pass } = billing(0);
    const gateway = book();
    await Promise.all(Array.from({ length: 100 }, async () => gateway.admit(holder)));
    for (let number = 0; number < 100; number += 1) await gateway.admit(holder);
    expect(wishes).toHaveLength(1);
    pass(1_001);
    await gateway.admit(holder);
    expect(wishes).toHaveLength(2);
  });

  it('asks ahead, so that after the first request nobody waits', async () => {
    const { book } = billing(1_000_000);
    const gateway = book();
    await gateway.admit(holder);
    for (let number = 0; number < 5_000; number += 1) {
      expect(gateway.admit(holder)).not.toBeInstanceOf(Promise);
      // Billing answers within two requests of one holder.
      if (number % 2 === 0) await settled();
    }
  });

  it('asks ahead of the end of a lease as well', async () => {
    const { book, pass } = billing(1_000_000);
    const gateway = book();
    await gateway.admit(holder);
    for (let seconds = 0; seconds < 60; seconds += 1) {
      pass(1_000);
      expect(gateway.admit(holder)).not.toBeInstanceOf(Promise);
      await settled();
    }
  });

  it('asks for more at once the faster leases are used up: a few leases a second, whatever the load', async () => {
    const { book, wishes, pass } = billing(100_000_000);
    const gateway = book();
    for (let ms = 0; ms < 2_000; ms += 1) {
      pass(1);
      for (let number = 0; number < 5; number += 1) await gateway.admit(holder);
    }
    const before = wishes.length;
    for (let ms = 0; ms < 10_000; ms += 1) {
      pass(1);
      for (let number = 0; number < 5; number += 1) await gateway.admit(holder);
    }
    expect(wishes.length - before).toBeLessThan(30);
  });

  it('serves what a lease covers although the clock of billing is an hour behind or ahead', async () => {
    for (const hours of [-1, 1]) {
      const { book, pass, wishes } = billing(1_000_000, { clockMs: hours * 3_600_000 });
      const gateway = book();
      for (let number = 0; number < 20; number += 1) {
        expect(await gateway.admit(holder)).toMatchObject({ state: 'OPEN' });
        await settled();
      }
      expect(wishes.length).toBeLessThan(5);
      pass(60_001);
      const asked = wishes.length;
      gateway.tidy();
      await settled();
      // All that was held is given back.
      expect(wishes.length).toBeGreaterThan(asked);
    }
  });

  it('gives back what an idle holder has left and forgets it, and everything at the end', async () => {
    const { book, taken, pass, wishes } = billing(100);
    const gateway = book();
    await gateway.admit(holder);
    expect(taken()).toBe(10);
    pass(lifetimeMs + 1);
    gateway.tidy();
    await settled();
    expect(taken()).toBe(1);
    const asked = wishes.length;
    for (let ticks = 0; ticks < 10; ticks += 1) {
      pass(1_000);
      gateway.tidy();
      await settled();
    }
    expect(wishes).toHaveLength(asked);
    await gateway.admit(holder);
    await gateway.close();
    expect(taken()).toBe(2);
  });

  it('keeps a bounded number of holders, and gives back what the others had', async () => {
    const { book, taken } = billing(1_000_000);
    const gateway = book(3);
    for (let number = 0; number < 20; number += 1) await gateway.admit({ ...holder, apiKeyId: String(number) });
    await settled();
    expect(taken()).toBe(17 + 3 * 10);
  });

  it('counts people of a group together, and every key by itself', async () => {
    const { book, wishes } = billing(1_000_000);
    const gateway = book();
    const people = { ...holder, apiKeyId: undefined };
    for (const each of [people, people, holder, { ...holder, apiKeyId: 'other' }]) await gateway.admit(each);
    expect(wishes).toHaveLength(3);
  });
});

describe('while billing is away, the quota book', () => {
  it('lets everything through without waiting, asks once a second, and reports the requests afterwards', async () => {
    const { book, wishes, become, pass, reported, taken } = billing(1_000);
    const gateway = book();
    become('away');
    for (let number = 0; number < 50; number += 1) expect(isThrough(await gateway.admit(holder))).toBe(true);
    expect(wishes).toHaveLength(1);
    for (let number = 0; number < 20; number += 1) {
      const stranger = { ...holder, apiKeyId: `key ${number}` };
      expect(gateway.admit(stranger)).toBeUndefined();
    }
    pass(1_001);
    expect(gateway.admit(holder)).toBeUndefined();
    await settled();
    expect(wishes).toHaveLength(2);

    become('well');
    pass(1_001);
    gateway.tidy();
    await settled();
    gateway.tidy();
    await settled();
    expect(reported()).toBe(50 + 20 + 1);
    await gateway.admit(holder);
    await gateway.close();
    expect(taken()).toBe(1);
  });

  it('holds a hard limit again as soon as it is back', async () => {
    const { book, become, pass } = billing(5);
    const gateway = book();
    become('away');
    await gateway.admit(holder);
    become('well');
    pass(1_001);
    gateway.tidy();
    await settled();
    const admissions: Admission[] = [];
    for (let number = 0; number < 50; number += 1) admissions.push(await gateway.admit(holder));
    expect(admissions.filter(isThrough)).toHaveLength(5);
  });

  it('loses no lease whose answer was lost: the same one is asked for again', async () => {
    const { book, become, pass, taken, wishes } = billing(100);
    const gateway = book();
    become('deaf');
    await gateway.admit(holder);
    become('well');
    pass(1_001);
    await gateway.admit(holder);
    await settled();
    expect(new Set(wishes.map(({ leaseId }) => leaseId)).size).toBe(1);
    await gateway.admit(holder);
    await gateway.close();
    expect(taken()).toBe(1);
  });

  it('lets the requests of a holder pass for whom there is no lease, and asks others as ever', async () => {
    const { book, become, wishes, pass } = billing(100);
    const gateway = book();
    become('refuses');
    expect(await gateway.admit(holder)).toBeUndefined();
    expect(gateway.admit(holder)).toBeUndefined();
    expect(wishes).toHaveLength(1);
    become('well');
    expect(await gateway.admit({ ...holder, apiKeyId: 'other' })).toMatchObject({ state: 'OPEN' });
    pass(1_001);
    expect(await gateway.admit(holder)).toMatchObject({ state: 'OPEN' });
  });
});

it('what passes in spite of a refusal is counted', async () => {
  const { book, reported } = billing(0);
  const gateway = book();
  expect(await gateway.admit(holder)).toMatchObject({ state: 'OUT_OF_REQUESTS' });
  gateway.passAnyway(holder);
  gateway.passAnyway(holder);
  gateway.tidy();
  await settled();
  expect(reported()).toBe(2);
});
