import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform/core';
import { quotaBook, type Admission, type Lease, type LeaseWish } from './quota-book.ts';

const holder = { organisationId: 'org', apiKeyId: 'key' };
const logger = createLogger({ service: 'test', level: 'silent' });

/** Billing with a hard limit, and a clock. */
function billing(limit: number) {
  let now = 0;
  let used = 0;
  let away = false;
  const wishes: LeaseWish[] = [];
  const leases = new Map<string, number>();
  const lease = (_holder: unknown, wish: LeaseWish): Promise<Lease> => {
    wishes.push(wish);
    if (away) return Promise.reject(new Error('away'));
    if (wish.lastLeaseId !== null) used -= (leases.get(wish.lastLeaseId) ?? 0) - wish.usedOfLastLease;
    const granted = Math.min(wish.requested, limit - used);
    used += granted;
    leases.set(wish.leaseId, granted);
    return Promise.resolve({
      leaseId: wish.leaseId,
      granted,
      expiresAt: new Date(now + 10_000),
      state: granted === 0 ? 'OUT_OF_REQUESTS' : 'OPEN',
      message: '',
      requestLimit: String(limit),
      resetsAt: null,
    });
  };
  return {
    wishes,
    used: () => used,
    pass: (ms: number) => (now += ms),
    goAway: (gone: boolean) => (away = gone),
    book: () => quotaBook({ lease, logger, now: () => now }),
  };
}

const isThrough = (admission: Admission): boolean => admission === undefined || admission.granted > 0;

describe('the quota book', () => {
  it('lets through exactly the limit, over several gateways and many requests at once', async () => {
    const { book, wishes } = billing(1_000);
    const gateways = [book(), book(), book()];
    const admissions = await Promise.all(
      Array.from({ length: 3_000 }, async (_, number) => gateways[number % 3]?.admit(holder)),
    );
    expect(admissions.filter(isThrough)).toHaveLength(1_000);
    expect(wishes.length).toBeLessThan(40);
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

  it('gives back what an idle lease has left, and everything at the end', async () => {
    const { book, used, pass } = billing(100);
    const gateway = book();
    await gateway.admit(holder);
    expect(used()).toBe(10);
    pass(10_001);
    gateway.tidy();
    await Promise.resolve();
    expect(used()).toBe(1);
    await gateway.admit(holder);
    await gateway.close();
    expect(used()).toBe(2);
  });

  it('lets everything through while billing is away, and asks again a second later', async () => {
    const { book, wishes, goAway, pass } = billing(5);
    const gateway = book();
    goAway(true);
    for (let number = 0; number < 50; number += 1) expect(isThrough(await gateway.admit(holder))).toBe(true);
    expect(wishes).toHaveLength(1);
    goAway(false);
    pass(1_001);
    const admissions: Admission[] = [];
    for (let number = 0; number < 50; number += 1) admissions.push(await gateway.admit(holder));
    expect(admissions.filter(isThrough)).toHaveLength(5);
  });
});
