import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId, notingChanges } from '@platform-backend/core';
import { postgresIdempotencyStore } from '@platform-backend/postgres';
import { member, newOrganisation, refusalOf, service } from '@platform-backend/service/testing';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { systemActor } from '../../events.ts';
import type { PriceBook } from '../../prices/domain/price-book.ts';
import { grantWelcomeCredits } from '../app/welcome-credits.ts';
import { creditAccountsStore } from '../store/credit-accounts-store.ts';

let billing: TestBilling;
const clock = fixedClock('2026-03-01T12:00:00.000Z');
beforeAll(async () => {
  billing = await startTestBilling({ clock });
});
afterAll(() => billing.stop());

const dayMs = 86_400_000;
const balance = (organisationId: string) => billing.credits.getCreditBalance({}, member(organisationId, 'ADMIN'));

describe('the balance', () => {
  it('of an organisation that has never had credits is nothing', async () => {
    expect(await balance(newOrganisation())).toEqual({
      availableMicros: '0',
      reservedMicros: '0',
      expiringMicros: '0',
      nextExpiresAt: null,
    });
  });

  it('says what will be lost next, and never shows what has expired', async () => {
    const organisation = newOrganisation();
    const expiresAt = new Date(clock.now().getTime() + dayMs);
    await billing.grant(organisation, 5, { expiresAt, priority: 10 });
    await billing.grant(organisation, 7);
    expect(await balance(organisation)).toMatchObject({ expiringMicros: micros(5), nextExpiresAt: expiresAt });
    clock.advance(dayMs);
    expect(await balance(organisation)).toMatchObject({ availableMicros: micros(7), nextExpiresAt: null });
    const reserve = billing.pipelines.credits.reserveCredits(
      { reservationId: newId(), amountMicros: micros(8), purpose: 'x' },
      service('pipelines', organisation),
    );
    expect(await refusalOf(reserve)).toMatchObject({ kind: 'payment_required' });
  });

  it('lets nobody reserve what has expired a moment ago, sweep or no sweep', async () => {
    const organisation = newOrganisation();
    await billing.grant(organisation, 5, { expiresAt: new Date(clock.now().getTime() + 1000) });
    clock.advance(1000);
    const reserve = billing.pipelines.credits.reserveCredits(
      { reservationId: newId(), amountMicros: micros(1), purpose: 'x' },
      service('pipelines', organisation),
    );
    expect(await refusalOf(reserve)).toMatchObject({ kind: 'payment_required' });
  });
});

describe('credits as a welcome', () => {
  it('are given for a call with an Idempotency-Key without a word that the call was carried out', async () => {
    const organisationId = newOrganisation();
    const { database } = billing.frame.storage;
    const store = postgresIdempotencyStore(database);
    const call = { scope: organisationId, key: Buffer.from(newId()), request: Buffer.from('r'), id: newId() };
    expect(await store.claim(call)).toEqual({ is: 'ours' });
    const credits = creditAccountsStore(database, () => undefined);
    const priceBook = { welcomeCredits: 3, welcomeCreditsExpireAfterDays: 30 } as PriceBook;
    await notingChanges(call, () =>
      grantWelcomeCredits({ credits, clock, priceBook }, systemActor(organisationId, newId())),
    );
    expect(await balance(organisationId)).toMatchObject({ availableMicros: micros(3) });
    // Its process died then: whoever repeats it has it carried out.
    await store.leave(call);
    expect(await store.claim({ ...call, id: newId() })).toEqual({ is: 'ours' });
  });

  it('are given once to whoever looks at them or spends them first, when a setting says so', async () => {
    const generous = await startTestBilling({ clock, environment: { BILLING_WELCOME_CREDITS: '3' } });
    const [looks, spends] = [newOrganisation(), newOrganisation()];
    const available = async (organisationId: string) =>
      (await generous.credits.getCreditBalance({}, member(organisationId, 'ADMIN'))).availableMicros;
    const reserve = (credits: number) =>
      generous.pipelines.credits.reserveCredits(
        { reservationId: newId(), amountMicros: micros(credits), purpose: 'x' },
        service('pipelines', spends),
      );
    await reserve(2);
    expect(await refusalOf(reserve(2))).toMatchObject({ kind: 'payment_required' });
    expect([await available(spends), await available(looks), await available(looks)]).toEqual([1, 3, 3].map(micros));
    await generous.stop();
  });

  it('come also where the account is opened by a purchase, an alert, or a gift of an operator', async () => {
    const generous = await startTestBilling({ clock, environment: { BILLING_WELCOME_CREDITS: '3' } });
    try {
      const availableOf = async (organisation: string) =>
        (await generous.credits.getCreditBalance({}, member(organisation))).availableMicros;
      const [buyer, given] = [newOrganisation(), newOrganisation()];
      await generous.credits.purchaseCredits({ credits: 100 }, member(buyer));
      expect(await availableOf(buyer)).toBe(micros(103));
      await generous.grant(given, 7);
      expect(await availableOf(given)).toBe(micros(10));
    } finally {
      await generous.stop();
    }
  });
});

describe('the ledger', () => {
  it('lists what happened, newest first, by kind and time, page by page', async () => {
    const organisation = newOrganisation();
    const as = service('pipelines', organisation);
    await billing.grant(organisation, 10);
    const reservationId = newId();
    clock.advance(1);
    await billing.pipelines.credits.reserveCredits(
      { reservationId, amountMicros: micros(4), purpose: 'pipeline_run' },
      as,
    );
    clock.advance(1);
    await billing.pipelines.credits.settleCredits({ reservationId, amountMicros: micros(3) }, as);
    const list = (request: Parameters<TestBilling['credits']['listCreditTransactions']>[0]) =>
      billing.credits.listCreditTransactions(request, member(organisation, 'ADMIN'));
    const { transactions } = await list({});
    expect(transactions).toMatchObject([
      {
        kind: 'SETTLE',
        availableChangeMicros: micros(1),
        reservedChangeMicros: micros(-4),
        availableAfterMicros: micros(7),
        purpose: 'pipeline_run',
        reservationId,
      },
      { kind: 'RESERVE', availableChangeMicros: micros(-4), reservedChangeMicros: micros(4) },
      { kind: 'GRANT', availableChangeMicros: micros(10), reservedChangeMicros: '0' },
    ]);
    expect((await list({ kind: ['GRANT', 'SETTLE'] })).transactions.map(({ kind }) => kind)).toEqual([
      'SETTLE',
      'GRANT',
    ]);
    const grantedAt = transactions[2]?.createdAt ?? null;
    expect((await list({ createdAfter: grantedAt })).transactions).toHaveLength(2);
    const first = await list({ limit: 2, includeTotal: true });
    expect(first.totalCount).toBe(3);
    expect((await list({ limit: 2, cursor: first.nextCursor })).transactions.map(({ kind }) => kind)).toEqual([
      'GRANT',
    ]);
  });

  it('shows what is left of each grant at once', async () => {
    const organisation = newOrganisation();
    const as = service('pipelines', organisation);
    await billing.grant(organisation, 10, { priority: 50 });
    clock.advance(1);
    await billing.grant(organisation, 2, { priority: 10 });
    const reservationId = newId();
    await billing.pipelines.credits.reserveCredits({ reservationId, amountMicros: micros(5), purpose: 'x' }, as);
    await billing.pipelines.credits.settleCredits({ reservationId, amountMicros: micros(5) }, as);
    const { grants } = await billing.credits.listCreditGrants({}, member(organisation, 'ADMIN'));
    expect(grants.map(({ remainingMicros }) => remainingMicros)).toEqual(['0', micros(7)]);
  });
});
