import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf, service } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { connectAsSuperuser } from '../../../test/ledger-soundness.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';

let billing: TestBilling;
const clock = fixedClock('2026-03-01T12:00:00.000Z');
beforeAll(async () => {
  billing = await startTestBilling({ clock });
});
afterAll(() => billing.stop());

const as = (organisationId: string) => service('pipelines', organisationId);
const reserve = (organisationId: string, credits: number, reservationId = newId()) =>
  billing.pipelines.credits.reserveCredits(
    { reservationId, amountMicros: micros(credits), purpose: 'pipeline_run' },
    as(organisationId),
  );
const balanceOf = async (organisationId: string) => {
  const { availableMicros, reservedMicros } = await billing.credits.getCreditBalance({}, member(organisationId));
  return [availableMicros, reservedMicros];
};

async function withCredits(credits: number): Promise<string> {
  const organisationId = newOrganisation();
  await billing.grant(organisationId, credits);
  return organisationId;
}

/** Names of the events of an organisation so far, in order. */
const eventsOf = (organisationId: string) =>
  billing.pool.tenant(organisationId, async (trx) => {
    const rows = await trx<{ type: string; sequence: string }>('outbox').orderBy('sequence');
    return rows.map(({ type }) => type.slice('platform.v1.billing.'.length));
  });

describe('reserving credits', () => {
  it('gives exactly 100 of 1,000 parallel reservations of 1 on a balance of 100', async () => {
    const organisation = await withCredits(100);
    const outcomes = await Promise.allSettled(Array.from({ length: 1_000 }, () => reserve(organisation, 1)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as object] : []));
    expect(new Set(refused.map((reason) => ('code' in reason ? reason.code : reason)))).toEqual(
      new Set(['credit_limit_reached']),
    );
    expect(await balanceOf(organisation)).toEqual(['0', micros(100)]);
    expect((await eventsOf(organisation)).filter((name) => name === 'credits.exhausted')).toHaveLength(1);
  });

  it('answers the first reservation when the caller retries, also a hundred times at once', async () => {
    const organisation = await withCredits(10);
    const id = newId();
    const answers = await Promise.all(Array.from({ length: 100 }, () => reserve(organisation, 3, id)));
    expect(new Set(answers.map(({ reservationId, status }) => `${reservationId} ${status ?? ''}`)).size).toBe(1);
    expect(await balanceOf(organisation)).toEqual([micros(7), micros(3)]);
  });

  it('refuses another amount under the same id, and an id that is finished', async () => {
    const organisation = await withCredits(10);
    const { reservationId } = await reserve(organisation, 3);
    expect(await refusalOf(reserve(organisation, 4, reservationId))).toMatchObject({ code: 'reservation_differs' });
    await billing.pipelines.credits.releaseCredits({ reservationId }, as(organisation));
    expect(await refusalOf(reserve(organisation, 3, reservationId))).toMatchObject({ code: 'reservation_finished' });
    expect(await balanceOf(organisation)).toEqual([micros(10), '0']);
  });

  it('refuses who has too few credits with 402, and who has none at all', async () => {
    const organisation = await withCredits(2);
    const refusal = { kind: 'payment_required', code: 'credit_limit_reached', message: 'Credit limit reached' };
    expect(await refusalOf(reserve(organisation, 3))).toEqual(refusal);
    expect(await refusalOf(reserve(newOrganisation(), 1))).toEqual(refusal);
    expect(await balanceOf(organisation)).toEqual([micros(2), '0']);
  });

  it.each([
    ['an amount of nothing', { amountMicros: '0' }],
    ['a negative amount', { amountMicros: '-5' }],
    ['an id that is no UUID', { reservationId: 'mine' }],
    ['no purpose', { purpose: '' }],
    ['a lifetime beyond that in which a dead caller is noticed', { lifetimeSeconds: 51 }],
  ])('refuses %s', async (_what, wrong) => {
    const request = { reservationId: newId(), amountMicros: micros(1), purpose: 'x', ...wrong };
    const call = billing.pipelines.credits.reserveCredits(request, as(newOrganisation()));
    expect(await refusalOf(call)).toMatchObject({ kind: 'invalid' });
  });
});

describe('settling credits', () => {
  it('takes what was spent, gives back the rest, and may be repeated', async () => {
    const organisation = await withCredits(10);
    const { reservationId } = await reserve(organisation, 6);
    const settle = (credits: number) =>
      billing.pipelines.credits.settleCredits({ reservationId, amountMicros: micros(credits) }, as(organisation));
    const settlements = await Promise.all(Array.from({ length: 20 }, () => settle(4)));
    expect(new Set(settlements.map(({ status, settledMicros }) => `${status ?? ''} ${settledMicros}`))).toEqual(
      new Set([`SETTLED ${micros(4)}`]),
    );
    expect(await balanceOf(organisation)).toEqual([micros(6), '0']);
    expect(await refusalOf(settle(5))).toMatchObject({ code: 'settlement_differs' });
    expect(await eventsOf(organisation)).toEqual(['credits.granted', 'credits.reserved', 'credits.settled']);
  });

  it('refuses more than was reserved, what was released, and what nobody reserved', async () => {
    const organisation = await withCredits(10);
    const { reservationId } = await reserve(organisation, 6);
    const settle = (id: string, credits: number) =>
      billing.pipelines.credits.settleCredits({ reservationId: id, amountMicros: micros(credits) }, as(organisation));
    expect(await refusalOf(settle(reservationId, 7))).toMatchObject({ code: 'settlement_too_large' });
    await billing.pipelines.credits.releaseCredits({ reservationId }, as(organisation));
    expect(await refusalOf(settle(reservationId, 6))).toMatchObject({ code: 'reservation_released' });
    expect(await refusalOf(settle(newId(), 1))).toMatchObject({ kind: 'not_found' });
    expect(await refusalOf(settle('mine', 1))).toMatchObject({ kind: 'invalid' });
  });

  it('and releasing at the same time has one winner', async () => {
    const organisation = await withCredits(100);
    for (let round = 0; round < 20; round += 1) {
      const { reservationId } = await reserve(organisation, 1);
      const outcomes = await Promise.allSettled([
        billing.pipelines.credits.settleCredits({ reservationId, amountMicros: '0' }, as(organisation)),
        billing.pipelines.credits.releaseCredits({ reservationId }, as(organisation)),
      ]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
    expect(await balanceOf(organisation)).toEqual([micros(100), '0']);
  });
});

describe('releasing credits', () => {
  it('gives back all, and may be repeated', async () => {
    const organisation = await withCredits(10);
    const { reservationId } = await reserve(organisation, 6);
    const release = () => billing.pipelines.credits.releaseCredits({ reservationId }, as(organisation));
    const answers = await Promise.all([release(), release(), release()]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['RELEASED']));
    expect(await balanceOf(organisation)).toEqual([micros(10), '0']);
    expect(await eventsOf(organisation)).toEqual(['credits.granted', 'credits.reserved', 'credits.released']);
  });
});

describe('an exhausted account', () => {
  it('is told of once, until something is there again', async () => {
    const organisation = await withCredits(10);
    const exhausted = async () => (await eventsOf(organisation)).filter((name) => name === 'credits.exhausted').length;
    const refused = async () =>
      expect(await refusalOf(reserve(organisation, 1))).toMatchObject({ kind: 'payment_required' });
    const [released, settled, last] = [
      await reserve(organisation, 2),
      await reserve(organisation, 2),
      await reserve(organisation, 6),
    ];
    await billing.book(organisation, 5);
    const release = ({ reservationId }: { reservationId: string }) =>
      billing.pipelines.credits.releaseCredits({ reservationId }, as(organisation));
    await release(released);
    await refused();
    const { reservationId } = settled;
    await billing.pipelines.credits.settleCredits({ reservationId, amountMicros: micros(1) }, as(organisation));
    await refused();
    expect([await exhausted(), (await balanceOf(organisation))[0]]).toEqual([1, micros(-2)]);
    await release(last);
    expect((await reserve(organisation, 4)).status).toBe('OPEN');
    expect(await exhausted()).toBe(2);
  });
});

describe('a worker that dies', () => {
  it('loses its reservations within 60 s, and one that says it lives keeps them', async () => {
    const organisation = await withCredits(10);
    const [dead, alive] = [await reserve(organisation, 4), await reserve(organisation, 3)];
    const extend = () =>
      billing.pipelines.credits.extendReservations(
        { reservationIds: [alive.reservationId, newId()], lifetimeSeconds: 50 },
        as(organisation),
      );
    clock.advance(25_000);
    expect((await extend()).reservations.map(({ reservationId }) => reservationId)).toEqual([alive.reservationId]);
    // The longest a reservation lives is 50 s and a sweep comes every 5; the usual life is 30 s.
    clock.advance(6_000);
    await waitFor(async () => (await balanceOf(organisation))[1] === micros(3), { what: 'the release' });
    expect(await balanceOf(organisation)).toEqual([micros(7), micros(3)]);
    expect((await extend()).reservations).toHaveLength(1);
    const settle = billing.pipelines.credits.settleCredits(
      { reservationId: dead.reservationId, amountMicros: micros(1) },
      as(organisation),
    );
    expect(await refusalOf(settle)).toMatchObject({ code: 'reservation_released' });
    const released = await billing.pool.tenant(organisation, async (trx) =>
      trx('outbox').where({ type: 'platform.v1.billing.credits.released' }).select('envelope'),
    );
    expect(released).toMatchObject([{ envelope: { data: { reason: 'expired', amount_micros: micros(4) } } }]);
  });

  it('loses them also while the account of another organisation cannot be had', async () => {
    const [locked, other] = [await withCredits(10), await withCredits(10)];
    await reserve(locked, 4);
    clock.advance(1_000);
    await reserve(other, 3);
    const superuser = await connectAsSuperuser(billing.database);
    try {
      await superuser.query('BEGIN');
      await superuser.query('SELECT FROM credit_accounts WHERE organisation_id = $1 FOR UPDATE', [locked]);
      clock.advance(31_000);
      await waitFor(async () => (await balanceOf(other))[1] === '0', { what: 'the release' });
    } finally {
      await superuser.end();
    }
    await waitFor(async () => (await balanceOf(locked))[1] === '0', { what: 'the release of the other' });
  });
});
