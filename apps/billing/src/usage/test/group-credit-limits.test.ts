import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@platform-backend/auth';
import { fixedClock, newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf, service } from '@platform-backend/service/testing';
import { startRealIdentity, type Founder, type RealIdentity } from '../../../test/real-identity.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';

const day = 86_400_000;
const clock = fixedClock(new Date());
let identity: RealIdentity;
let billing: TestBilling;
beforeAll(async () => {
  identity = await startRealIdentity();
  // Nothing is swept while these tests run.
  const environment = { IDENTITY_ADDRESS: identity.process.address, BILLING_SWEEP_SECONDS: '8' };
  billing = await startTestBilling({ clock, environment });
});
afterAll(async () => {
  await billing.stop();
  await identity.stop();
});

type Policy = Parameters<RealIdentity['clientGroups']['setClientPolicy']>[0];
type Class = 'AI' | 'INFRASTRUCTURE';

/** A client group with 1,000 credits in its organisation. */
interface Group extends Founder {
  readonly groupId: string;
}

async function newGroup(founder: Founder, limits: Partial<Policy>): Promise<Group> {
  const request = { name: `Group ${newId()}`, description: '' };
  const { id: groupId } = await identity.clientGroups.createClientGroup(request, founder);
  const group = { ...founder, groupId };
  await setPolicy(group, limits);
  return group;
}

async function setPolicy({ groupId, ...founder }: Group, limits: Partial<Policy>): Promise<void> {
  // Limits may be left out, which the generated type does not know.
  await identity.clientGroups.setClientPolicy({ groupId, periodDays: 7, hardStop: true, ...limits } as Policy, founder);
}

async function withCredits(): Promise<Founder> {
  const founder = await identity.found();
  await billing.grant(founder.organisation.id, 1_000);
  return founder;
}

const limited = async (limits: Partial<Policy>): Promise<Group> => newGroup(await withCredits(), limits);

/** A service that acts for a caller of this group, who need not be named a second time. */
const worker = ({ organisation, groupId }: Group, more: Partial<Caller> = {}) => {
  const { caller } = service('pipelines', organisation.id);
  return { caller: { ...caller, clientGroupId: groupId, ...more } };
};

const { reserveCredits, settleCredits, releaseCredits } = {
  reserveCredits: (group: Group, credits: number, creditClass: Class = 'AI', reservationId = newId()) =>
    billing.pipelines.credits.reserveCredits(
      { reservationId, amountMicros: micros(credits), purpose: 'run', creditClass },
      worker(group),
    ),
  settleCredits: (group: Group, reservationId: string, credits: number) =>
    billing.pipelines.credits.settleCredits({ reservationId, amountMicros: micros(credits) }, worker(group)),
  releaseCredits: (group: Group, reservationId: string) =>
    billing.pipelines.credits.releaseCredits({ reservationId }, worker(group)),
};

const limitReached = {
  kind: 'payment_required',
  code: 'client_group_credit_limit_reached',
  message: 'Credit limit reached',
};

const reservedCount = async (attempts: readonly Promise<unknown>[]): Promise<number> => {
  const outcomes = await Promise.allSettled(attempts);
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as object] : []));
  for (const reason of refused) expect(reason).toMatchObject({ code: limitReached.code });
  return outcomes.length - refused.length;
};

describe('a hard limit of credits', () => {
  it('gives exactly 50 of 200 parallel reservations of 1, whatever the organisation still has', async () => {
    const group = await limited({ aiCreditLimit: '50' });
    expect(await reservedCount(Array.from({ length: 200 }, () => reserveCredits(group, 1)))).toBe(50);
    expect(await refusalOf(reserveCredits(group, 1))).toEqual(limitReached);
    const balance = await billing.credits.getCreditBalance({}, member(group.organisation.id));
    expect(balance).toMatchObject({ availableMicros: micros(950), reservedMicros: micros(50) });
  });

  it('is one for each class of credits', async () => {
    const group = await limited({ aiCreditLimit: '5', infrastructureCreditLimit: '8' });
    await reserveCredits(group, 5);
    expect(await refusalOf(reserveCredits(group, 1))).toEqual(limitReached);
    await reserveCredits(group, 8, 'INFRASTRUCTURE');
    expect(await refusalOf(reserveCredits(group, 1, 'INFRASTRUCTURE'))).toEqual(limitReached);
    const free = await limited({ aiCreditLimit: '0' });
    await reserveCredits(free, 900, 'INFRASTRUCTURE');
  });

  it('is free again by what is released, and by what was settled less than reserved', async () => {
    const group = await limited({ aiCreditLimit: '10' });
    const { reservationId: released } = await reserveCredits(group, 6);
    const { reservationId: settled } = await reserveCredits(group, 4);
    await releaseCredits(group, released);
    const { reservationId: again } = await reserveCredits(group, 6);
    await settleCredits(group, settled, 1);
    await reserveCredits(group, 3);
    expect(await refusalOf(reserveCredits(group, 1))).toEqual(limitReached);
    await settleCredits(group, again, 6);
    expect(await refusalOf(reserveCredits(group, 1))).toEqual(limitReached);
  });

  it('answers the first reservation to who repeats it when nothing is left', async () => {
    const group = await limited({ aiCreditLimit: '5' });
    const id = newId();
    const answers = await Promise.all(Array.from({ length: 20 }, () => reserveCredits(group, 5, 'AI', id)));
    expect(new Set(answers.map(({ reservationId, status }) => `${reservationId} ${status ?? ''}`))).toEqual(
      new Set([`${id} OPEN`]),
    );
    expect(await refusalOf(reserveCredits(group, 5))).toEqual(limitReached);
  });

  it('of one group is nothing to another one, at the same moment too', async () => {
    const founder = await withCredits();
    const [few, many] = [
      await newGroup(founder, { aiCreditLimit: '10' }),
      await newGroup(founder, { aiCreditLimit: '40' }),
    ];
    const unlimited = await newGroup(founder, {});
    const counts = await Promise.all(
      [few, many, unlimited].map((group) => reservedCount(Array.from({ length: 60 }, () => reserveCredits(group, 1)))),
    );
    expect(counts).toEqual([10, 40, 60]);
  });

  it('begins anew with the next period, in which what is still set aside counts', async () => {
    const group = await limited({ aiCreditLimit: '10' });
    const now = clock.now();
    try {
      const settled = await reserveCredits(group, 7);
      await settleCredits(group, settled.reservationId, 7);
      const running = await reserveCredits(group, 3);
      clock.set(new Date(now.getTime() + 7 * day));
      await billing.pipelines.credits.extendReservations({ reservationIds: [running.reservationId] }, worker(group));
      await reserveCredits(group, 7);
      expect(await refusalOf(reserveCredits(group, 1))).toEqual(limitReached);
      await settleCredits(group, running.reservationId, 2);
      expect(await refusalOf(reserveCredits(group, 2))).toEqual(limitReached);
      await reserveCredits(group, 1);
    } finally {
      clock.set(now);
    }
  });

  it('counts a settlement no earlier than its reservation, even when the clock of who settles is behind', async () => {
    const group = await limited({ aiCreditLimit: '10' });
    const now = clock.now();
    const next = new Date(now.getTime() + 7 * day);
    try {
      clock.set(next);
      const { reservationId } = await reserveCredits(group, 10);
      clock.set(now);
      await settleCredits(group, reservationId, 10);
      expect(await refusalOf(reserveCredits(group, 1))).toEqual(limitReached);
      clock.set(next);
      expect(await refusalOf(reserveCredits(group, 1))).toEqual(limitReached);
    } finally {
      clock.set(now);
    }
  });

  it('that is raised holds some seconds later, and so does one that is new', async () => {
    const group = await limited({ aiCreditLimit: '5' });
    await reserveCredits(group, 5);
    expect(await refusalOf(reserveCredits(group, 1))).toEqual(limitReached);
    await setPolicy(group, { aiCreditLimit: '8' });
    clock.advance(5_000);
    await reserveCredits(group, 3);
    expect(await refusalOf(reserveCredits(group, 1))).toEqual(limitReached);
    const unlimited = await limited({});
    await reserveCredits(unlimited, 20);
    await setPolicy(unlimited, { aiCreditLimit: '20' });
    clock.advance(5_000);
    expect(await refusalOf(reserveCredits(unlimited, 1))).toEqual(limitReached);
  });

  it('is the default one for work that a service does for nobody', async () => {
    const founder = await withCredits();
    const { clientGroups } = await identity.clientGroups.listClientGroups({}, founder);
    const byDefault = { ...founder, groupId: clientGroups[0]?.id ?? '' };
    await setPolicy(byDefault, { aiCreditLimit: '4' });
    const reserve = (credits: number) =>
      billing.pipelines.credits.reserveCredits(
        { reservationId: newId(), amountMicros: micros(credits), purpose: 'run' },
        service('pipelines', founder.organisation.id),
      );
    await reserve(4);
    expect(await refusalOf(reserve(1))).toEqual(limitReached);
    expect(await refusalOf(reserveCredits(byDefault, 1))).toEqual(limitReached);
  });

  it('is never passed while many reserve, settle and release at random', async () => {
    const founder = await withCredits();
    const groups = [
      await newGroup(founder, { aiCreditLimit: '30', infrastructureCreditLimit: '12' }),
      await newGroup(founder, { aiCreditLimit: '9', infrastructureCreditLimit: '25' }),
    ] as const;
    const limits = new Map(
      groups.flatMap(({ groupId }, index) => [
        [`${groupId} AI`, index === 0 ? 30 : 9],
        [`${groupId} INFRASTRUCTURE`, index === 0 ? 12 : 25],
      ]),
    );
    const chance = (below: number) => Math.floor(Math.random() * below);
    let working = 8;
    let refused = 0;
    const work = async (): Promise<void> => {
      const mine: { group: Group; id: string; credits: number }[] = [];
      for (let round = 0; round < 40; round += 1) {
        const [held] = chance(2) === 0 ? mine.splice(chance(mine.length), 1) : [];
        if (held && chance(4) === 0) await settleCredits(held.group, held.id, chance(held.credits + 1));
        else if (held) await releaseCredits(held.group, held.id);
        const group = groups[chance(2)] ?? groups[0];
        const credits = 1 + chance(4);
        await reserveCredits(group, credits, chance(2) === 0 ? 'AI' : 'INFRASTRUCTURE').then(
          ({ reservationId: id }) => mine.push({ group, id, credits }),
          (error: unknown) => {
            expect(error).toMatchObject({ code: limitReached.code });
            refused += 1;
          },
        );
      }
      working -= 1;
    };
    let looks = 0;
    const watch = async (): Promise<void> => {
      while (working > 0) {
        for (const [key, used] of await usedCredits(founder))
          expect([key, used <= (limits.get(key) ?? 0)]).toEqual([key, true]);
        looks += 1;
      }
    };
    await Promise.all([...Array.from({ length: working }, work), watch()]);
    expect(looks).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(10);
    // All that is left can still be had, to the last credit.
    for (const group of groups) {
      for (const creditClass of ['AI', 'INFRASTRUCTURE'] as const) {
        await reservedCount(Array.from({ length: 40 }, () => reserveCredits(group, 1, creditClass)));
      }
    }
    expect(await usedCredits(founder)).toEqual(limits);
  });
});

/** What groups have settled and set aside at one moment, by group and class. */
async function usedCredits({ organisation }: Founder): Promise<Map<string, number>> {
  const rows = await billing.pool.tenant(organisation.id, async (trx) => {
    const found = await trx.raw<{ rows: { key: string; used: string }[] }>(`
      SELECT client_group_id || ' ' || class AS key, sum(micros) / 1000000 AS used FROM (
        SELECT client_group_id, 'AI' AS class, ai_credits_micros AS micros FROM usage_days
        UNION ALL SELECT client_group_id, 'INFRASTRUCTURE', infrastructure_credits_micros FROM usage_days
        UNION ALL SELECT client_group_id, credit_class, amount_micros FROM credit_reservations WHERE status = 'OPEN'
      ) AS used GROUP BY 1`);
    return found.rows;
  });
  return new Map(rows.map(({ key, used }) => [key, Number(used)]));
}

describe('a limit that only warns', () => {
  it('refuses no reservation', async () => {
    const group = await limited({ aiCreditLimit: '5', hardStop: false });
    await reserveCredits(group, 900);
  });
});

describe('while identity is away, a limit of credits', () => {
  it('holds as it was last known, and who was never heard of is held to the balance alone', async () => {
    const group = await limited({ aiCreditLimit: '5' });
    await reserveCredits(group, 4);
    const stranger = newOrganisation();
    await billing.grant(stranger, 5);
    identity.process.freeze();
    try {
      clock.advance(5_000);
      expect(await refusalOf(reserveCredits(group, 2))).toEqual(limitReached);
      const asked = { reservationId: newId(), amountMicros: micros(5), purpose: 'run', clientGroupId: newId() };
      const answer = await billing.pipelines.credits.reserveCredits(asked, service('pipelines', stranger));
      expect(answer).toMatchObject({ status: 'OPEN' });
    } finally {
      identity.process.thaw();
    }
    clock.advance(1_000);
    await setPolicy(group, { aiCreditLimit: '4' });
    clock.advance(5_000);
    expect(await refusalOf(reserveCredits(group, 1))).toEqual(limitReached);
  });
});

describe('whom a reservation counts for', () => {
  const counted = async ({ organisation }: Founder) =>
    (await billing.usage.getUsage({ groupBy: 'api_key' }, member(organisation.id))).usage;

  it('is the group and the key of the caller, unless the service names others', async () => {
    const group = await limited({ aiCreditLimit: '50' });
    const other = await newGroup(group, { aiCreditLimit: '3' });
    const [own, another] = [newId(), newId()];
    const spend = async (credits: number, named: { clientGroupId?: string; apiKeyId?: string }) => {
      const reservationId = newId();
      const request = { reservationId, amountMicros: micros(credits), purpose: 'run', ...named };
      await billing.pipelines.credits.reserveCredits(request, worker(group, { apiKeyId: own }));
      await settleCredits(group, reservationId, credits);
    };
    await spend(2, {});
    await spend(3, { clientGroupId: other.groupId, apiKeyId: another });
    expect(await refusalOf(spend(1, { clientGroupId: other.groupId }))).toEqual(limitReached);
    const byKey = Object.fromEntries(
      (await counted(group)).map(({ key, aiCreditsMicros }) => [key ?? '', aiCreditsMicros]),
    );
    expect(byKey).toEqual({ [own]: micros(2), [another]: micros(3) });
  });
});

describe('a lease of requests with a limit of credits', () => {
  it('counts what is set aside as used, for nobody can reserve it', async () => {
    const group = await limited({ aiCreditLimit: '10', requestLimit: '100' });
    const lease = () =>
      billing.usage.leaseQuota(
        { leaseId: newId(), requested: 5, clientGroupId: group.groupId },
        service('gateway', group.organisation.id),
      );
    const { reservationId } = await reserveCredits(group, 10);
    expect(await lease()).toMatchObject({ granted: 5, state: 'OUT_OF_CREDITS', exhausted: ['AI'] });
    await settleCredits(group, reservationId, 2);
    expect(await lease()).toMatchObject({ granted: 5, state: 'OPEN', exhausted: [] });
  });
});
