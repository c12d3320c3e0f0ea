import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf, service } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { startRealIdentity, type Founder, type RealIdentity } from '../../../test/real-identity.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';

const clock = fixedClock(new Date());
let identity: RealIdentity;
let billing: TestBilling;
beforeAll(async () => {
  identity = await startRealIdentity();
  billing = await startTestBilling({
    clock,
    environment: { IDENTITY_ADDRESS: identity.process.address, BILLING_SCHEDULE_SECONDS: '1' },
  });
});
afterAll(async () => {
  await billing.stop();
  await identity.stop();
});

interface Limits {
  requestLimit?: string;
  aiCreditLimit?: string;
  infrastructureCreditLimit?: string;
  hardStop?: boolean;
}

/** An organisation whose default group has this policy. */
async function withPolicy(limits: Limits): Promise<Founder & { groupId: string }> {
  const founder = await identity.found();
  const { clientGroups } = await identity.clientGroups.listClientGroups({}, founder);
  const groupId = clientGroups[0]?.id ?? '';
  // Limits may be left out, which the generated type does not know.
  const request = { groupId, periodDays: 7, hardStop: true, ...limits } as Parameters<
    RealIdentity['clientGroups']['setClientPolicy']
  >[0];
  await identity.clientGroups.setClientPolicy(request, founder);
  return { ...founder, groupId };
}

const gatewayFor = ({ organisation }: Founder) => service('gateway', organisation.id);
const lease = (
  by: Founder,
  requested: number,
  more: { leaseId?: string; lastLeaseId?: string; usedOfLastLease?: number } = {},
) => billing.usage.leaseQuota({ leaseId: newId(), requested, ...more }, gatewayFor(by));

async function spend({ organisation }: Founder, credits: number, clientGroupId: string): Promise<void> {
  const as = service('pipelines', organisation.id);
  const reservationId = newId();
  await billing.pipelines.credits.reserveCredits(
    { reservationId, amountMicros: micros(credits), purpose: 'run', clientGroupId },
    as,
  );
  await billing.pipelines.credits.settleCredits({ reservationId, amountMicros: micros(credits) }, as);
}

const alertsOf = ({ organisation }: Founder) =>
  billing.pool.tenant(organisation.id, async (trx) => {
    const rows = await trx<{
      type: string;
      sequence: string;
      envelope: { data: { limit_name: string; percent: number } };
    }>('outbox')
      .where('type', 'platform.v1.billing.usage.threshold_reached')
      .orderBy('sequence');
    return rows.map(({ envelope }) => `${envelope.data.limit_name} ${envelope.data.percent}`);
  });

describe('a hard limit of requests', () => {
  it('lets through exactly as many, however many gateways lease at the same time', async () => {
    const ada = await withPolicy({ requestLimit: '100' });
    let through = 0;
    const gateway = async (): Promise<void> => {
      let last = {};
      for (;;) {
        const { leaseId, granted, state } = await lease(ada, 10, last);
        last = { lastLeaseId: leaseId, usedOfLastLease: granted };
        if (granted === 0) {
          expect(state).toBe('OUT_OF_REQUESTS');
          return;
        }
        through += granted;
      }
    };
    await Promise.all(Array.from({ length: 8 }, gateway));
    expect(through).toBe(100);
    expect(await lease(ada, 10)).toMatchObject({ granted: 0, requestLimit: '100', requestsRemaining: '0' });
    expect(await alertsOf(ada)).toEqual(['requests 50', 'requests 80', 'requests 100']);
  });

  it('alerts by what was used, not by what gateways hold in store', async () => {
    const ada = await withPolicy({ requestLimit: '100' });
    const first = await lease(ada, 25);
    const second = await lease(ada, 25);
    expect(first.granted + second.granted).toBeGreaterThan(40);
    expect(await alertsOf(ada)).toEqual([]);
    await lease(ada, 25, { lastLeaseId: first.leaseId, usedOfLastLease: 25 });
    await lease(ada, 25, { lastLeaseId: second.leaseId, usedOfLastLease: 19 });
    expect(await alertsOf(ada)).toEqual([]);
    const third = await lease(ada, 6);
    await lease(ada, 0, { lastLeaseId: third.leaseId, usedOfLastLease: 6 });
    expect(await alertsOf(ada)).toEqual(['requests 50']);
  });

  it('counts what was used of a lease, and gives the rest to others', async () => {
    const ada = await withPolicy({ requestLimit: '100' });
    const first = await lease(ada, 20);
    expect(first).toMatchObject({ granted: 20, state: 'OPEN', requestsRemaining: '80' });
    const second = await lease(ada, 1, { lastLeaseId: first.leaseId, usedOfLastLease: 5 });
    expect(second).toMatchObject({ granted: 1, requestsRemaining: '94' });
    // Telling it again changes nothing.
    await lease(ada, 1, { lastLeaseId: first.leaseId, usedOfLastLease: 0 });
    const [today] = (await billing.usage.getUsage({}, member(ada.organisation.id))).usage;
    expect(today).toMatchObject({ requests: '5' });
  });

  it('answers the same lease when the call is repeated', async () => {
    const ada = await withPolicy({ requestLimit: '100' });
    const leaseId = newId();
    const answers = await Promise.all(Array.from({ length: 5 }, () => lease(ada, 10, { leaseId })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await lease(ada, 1)).toMatchObject({ requestsRemaining: '89' });
  });

  it('keeps no leases that are long over, and forgets nothing that was used', async () => {
    const ada = await withPolicy({});
    const rows = () =>
      billing.pool.tenant(ada.organisation.id, (trx) => trx<{ id: string }>('quota_leases').pluck('id'));
    const [one, lost] = [await lease(ada, 4), await lease(ada, 3)];
    await lease(ada, 0, { lastLeaseId: one.leaseId, usedOfLastLease: 2 });
    expect(await rows()).toHaveLength(3);
    const now = clock.now();
    clock.set(new Date(now.getTime() + 3 * 86_400_000));
    const later = await lease(ada, 1);
    expect(await rows()).toEqual([later.leaseId]);
    const usage = (await billing.usage.getUsage({}, member(ada.organisation.id))).usage;
    expect(usage.map(({ requests }) => requests)).toEqual([String(2 + lost.granted)]);
    clock.set(now);
  });

  it('begins anew with the next period', async () => {
    const ada = await withPolicy({ requestLimit: '1' });
    const { resetsAt } = await lease(ada, 1);
    expect(await lease(ada, 1)).toMatchObject({ granted: 0 });
    const now = clock.now();
    clock.set(resetsAt ?? now);
    expect(await lease(ada, 1)).toMatchObject({ granted: 1 });
    clock.set(now);
  });
});

describe('a soft limit of requests', () => {
  it('warns and refuses nothing', async () => {
    const ada = await withPolicy({ requestLimit: '10', hardStop: false });
    const messages = new Set<string>();
    for (let through = 0; through < 30;) {
      const { granted, message } = await lease(ada, 5);
      messages.add(message);
      expect(granted).toBeGreaterThan(0);
      through += granted;
    }
    expect([...messages]).toEqual([
      '',
      '80 % of the limit of requests are used',
      '90 % of the limit of requests are used',
      'The limit of requests is reached',
    ]);
  });
});

describe('a limit of credits', () => {
  it('is told with the lease when it is reached, alerts at 50, 80 and 100 %, and shows in the client group', async () => {
    const ada = await withPolicy({ aiCreditLimit: '10' });
    await billing.grant(ada.organisation.id, 100);
    await spend(ada, 8, ada.groupId);
    expect(await lease(ada, 5)).toMatchObject({
      state: 'WARNING',
      message: '80 % of the limit of AI credits are used',
    });
    await spend(ada, 2, ada.groupId);
    expect(await lease(ada, 5)).toMatchObject({
      granted: 5,
      state: 'OUT_OF_CREDITS',
      exhausted: ['AI'],
      message: 'The limit of AI credits is reached',
    });
    expect(await alertsOf(ada)).toEqual(['ai_credits 50', 'ai_credits 80', 'ai_credits 100']);
    const shown = await waitFor(
      async () => {
        const { usage } = await identity.clientGroups.getClientGroup({ groupId: ada.groupId }, ada);
        return usage['ai_credits'] === 10 ? usage : undefined;
      },
      { what: 'the usage in identity' },
    );
    expect(shown).toMatchObject({ ai_credits: 10, infrastructure_credits: 0 });
  });
});

describe('without a usage policy', () => {
  it('everything is let through, and counted all the same', async () => {
    const ada = await identity.found();
    expect(await lease(ada, 50)).toMatchObject({ granted: 50, state: 'OPEN', requestLimit: null, resetsAt: null });
  });

  it('many gateways may ask at the same moment for an organisation that nobody knew before', async () => {
    for (let round = 0; round < 10; round += 1) {
      const ada = await identity.found();
      const leases = await Promise.all(Array.from({ length: 20 }, () => lease(ada, 1)));
      expect(leases.map(({ granted }) => granted)).toEqual(leases.map(() => 1));
    }
  });

  it('an organisation that is gone gets no lease', async () => {
    const call = billing.usage.leaseQuota({ leaseId: newId(), requested: 1 }, service('gateway', newOrganisation()));
    expect(await refusalOf(call)).toMatchObject({ kind: 'not_found' });
  });
});

describe('usage that is recorded', () => {
  it('is counted once per record, and shown by day, group and key, page by page', async () => {
    const organisationId = newOrganisation();
    const [groupId, keyId] = [newId(), newId()];
    const day = (ago: number) => new Date(clock.now().getTime() - ago * 86_400_000);
    const records = [
      { id: newId(), clientGroupId: groupId, apiKeyId: keyId, requests: '3', occurredAt: day(0) },
      { id: newId(), clientGroupId: groupId, requests: '4', occurredAt: day(1) },
      { id: newId(), requests: '5', occurredAt: day(2) },
    ];
    const record = () => billing.pipelines.usage.recordUsage({ records }, service('pipelines', organisationId));
    await Promise.all([record(), record(), record()]);
    const ask = (request: Parameters<TestBilling['usage']['getUsage']>[0]) =>
      billing.usage.getUsage(request, member(organisationId, 'ADMIN'));
    const counts = async (request: Parameters<typeof ask>[0]) =>
      Object.fromEntries((await ask(request)).usage.map(({ key, requests }) => [key ?? 'none', requests]));

    expect(Object.values(await counts({}))).toEqual(['3', '4', '5']);
    expect(await counts({ groupBy: 'client_group' })).toEqual({ [groupId]: '7', none: '5' });
    expect(await counts({ groupBy: 'api_key' })).toEqual({ [keyId]: '3', none: '9' });
    expect(await counts({ groupBy: 'client_group', apiKeyId: keyId })).toEqual({ [groupId]: '3' });
    const midnight = (ago: number) => new Date(`${day(ago).toISOString().slice(0, 10)}T00:00:00Z`);
    expect(Object.values(await counts({ createdAfter: midnight(1) }))).toEqual(['3', '4']);
    expect(Object.values(await counts({ createdBefore: midnight(1) }))).toEqual(['5']);
    expect(await counts({ createdBefore: new Date('0001-01-01T00:00:00Z') })).toEqual({});
    const first = await ask({ limit: 2, includeTotal: true });
    expect([first.usage.length, first.totalCount]).toEqual([2, 3]);
    const second = await ask({ limit: 2, cursor: first.nextCursor });
    expect(second.usage.map(({ requests }) => requests)).toEqual(['5']);
    expect(second.nextCursor).toBe('');
  });

  it('is shown of 30 days where only their end is given, also one at midnight', async () => {
    const organisationId = newOrganisation();
    const dayMs = 86_400_000;
    const midnight = new Date(Math.floor(clock.now().getTime() / dayMs) * dayMs);
    const records = [1, 30, 31].map((ago) => ({
      ...{ id: newId(), requests: String(ago) },
      occurredAt: new Date(midnight.getTime() - ago * dayMs),
    }));
    await billing.pipelines.usage.recordUsage({ records }, service('pipelines', organisationId));
    const { usage } = await billing.usage.getUsage({ createdBefore: midnight }, member(organisationId, 'ADMIN'));
    expect(usage.map(({ requests }) => requests)).toEqual(['1', '30']);
  });

  it('is told by hour as well, which come to the same as the days', async () => {
    const organisationId = newOrganisation();
    const [groupId, keyId, memberId] = [newId(), newId(), newId()];
    const yesterday = new Date(clock.now().getTime() - 86_400_000).toISOString().slice(0, 10);
    const at = (time: string) => new Date(`${yesterday}T${time}Z`);
    const [one, sameHour, later] = [at('10:00:00'), at('10:59:59.999'), at('12:30:00')];
    const records = [
      { id: newId(), clientGroupId: groupId, apiKeyId: keyId, requests: '3', occurredAt: one },
      { id: newId(), clientGroupId: groupId, requests: '4', occurredAt: sameHour },
      { id: newId(), requests: '5', occurredAt: later },
    ];
    await billing.pipelines.usage.recordUsage({ records }, service('pipelines', organisationId));
    await billing.grant(organisationId, 10);
    await billing.book(organisationId, 1, { occurredAt: one, memberId, clientGroupId: groupId, apiKeyId: keyId });
    await billing.book(organisationId, 2, { occurredAt: later, creditClass: 'INFRASTRUCTURE' });
    const ask = (request: Parameters<TestBilling['usage']['getUsage']>[0]) =>
      billing.usage.getUsage(
        { groupBy: 'hour', createdAfter: at('00:00:00'), ...request },
        member(organisationId, 'ADMIN'),
      );
    const key = (date: Date) => `${date.toISOString().slice(0, 13)}:00:00Z`;
    const { usage, totalCount } = await ask({ includeTotal: true });
    expect(usage).toEqual([
      { key: key(later), requests: '5', aiCreditsMicros: '0', infrastructureCreditsMicros: micros(2) },
      { key: key(one), requests: '7', aiCreditsMicros: micros(1), infrastructureCreditsMicros: '0' },
    ]);
    expect(totalCount).toBe(2);
    const [day] = (await ask({ groupBy: 'day' })).usage;
    expect(day).toMatchObject({ requests: '12', aiCreditsMicros: micros(1), infrastructureCreditsMicros: micros(2) });

    expect((await ask({ apiKeyId: keyId })).usage).toMatchObject([{ requests: '3', aiCreditsMicros: micros(1) }]);
    expect((await ask({ memberId })).usage).toMatchObject([{ requests: '0', aiCreditsMicros: micros(1) }]);
    const first = await ask({ limit: 1 });
    const second = await ask({ limit: 1, cursor: first.nextCursor });
    expect([...first.usage, ...second.usage]).toEqual(usage);
    expect([first.nextCursor === '', second.nextCursor]).toEqual([false, '']);
    const tooMany = ask({ createdAfter: new Date(clock.now().getTime() - 32 * 86_400_000) });
    expect(await refusalOf(tooMany)).toMatchObject({ violations: [{ loc: ['query', 'created_after'] }] });
  });
});
