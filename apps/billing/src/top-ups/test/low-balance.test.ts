import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { member, newOrganisation, publishedEvents, service } from '@platform-backend/service/testing';
import { repetitions } from '@platform-backend/testing';
import fc from 'fast-check';
import { dyingAt, sidesOfSteps, wasKilled } from '../../../test/crash-test-parts.ts';
import { payingOrganisation } from '../../../test/paying-organisation.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { billingAreas } from '../../areas.ts';
import { tellCrossings } from '../../balance-alerts/app/balance-alerts.ts';
import { collectPayment, lookAfterPayments } from '../../payments/app/collect-payment.ts';
import type { Payment, PaymentRequest } from '../../payments/domain/payment.ts';
import { chargePurchase } from '../../purchases/app/charge-purchase.ts';
import { purchaseUseCases } from '../../purchases/app/purchases.ts';
import { everybody } from '../../test-clocks/domain/schedule-scope.ts';
import { lookAfterTopUps, type TopUpPorts } from '../app/automatic-top-ups.ts';

const clock = fixedClock('2026-04-01T12:00:00.000Z');
let billing: TestBilling;
let areas: Awaited<ReturnType<typeof billingAreas>>;
const silent = createLogger({ service: 'test', level: 'silent' });

beforeAll(async () => {
  // Its own schedule never runs here: each test is the schedule.
  billing = await startTestBilling({ clock, environment: { BILLING_SCHEDULE_SECONDS: '3600' } });
  areas = await billingAreas(billing.frame);
});
afterAll(() => billing.stop());

const alertAt = (organisation: string, credits: number) =>
  billing.alerts.createBalanceAlert({ thresholdMicros: micros(credits) }, member(organisation));
const alertsOf = async (organisation: string) => {
  const { alerts } = await billing.alerts.listBalanceAlerts({}, member(organisation));
  return alerts.map(({ thresholdMicros, state }) => `${String(BigInt(thresholdMicros) / 1_000_000n)} ${state}`);
};
const tell = () => tellCrossings(areas.balanceAlerts.exports.ports);
const toldOf = async (organisation: string) =>
  (await publishedEvents(billing.database))
    .filter(({ organisationid, type }) => organisationid === organisation && type.endsWith('credits.balance_low'))
    .map(({ data }) => data as { threshold_micros: string; balance_micros: string });

describe('an alert of the balance', () => {
  it('goes off once when the balance falls to it, and again only after it has risen above it', async () => {
    const organisation = newOrganisation();
    await billing.grant(organisation, 100);
    await alertAt(organisation, 10);
    await alertAt(organisation, 50);
    await billing.book(organisation, 49);
    await tell();
    expect(await toldOf(organisation)).toEqual([]);
    await billing.book(organisation, 1);
    await billing.book(organisation, 5);
    expect(await alertsOf(organisation)).toEqual(['50 LOW', '10 ARMED']);
    await Promise.all([tell(), tell(), tell()]);
    expect(await toldOf(organisation)).toEqual([
      expect.objectContaining({ threshold_micros: micros(50), balance_micros: micros(50) }),
    ]);
    await billing.grant(organisation, 1);
    await billing.book(organisation, 2);
    await tell();
    expect(await toldOf(organisation)).toHaveLength(1);
    await billing.grant(organisation, 20);
    expect(await alertsOf(organisation)).toEqual(['50 ARMED', '10 ARMED']);
    await billing.book(organisation, 90);
    await tell();
    expect((await toldOf(organisation)).slice(1)).toMatchObject([
      { balance_micros: micros(-26) },
      { balance_micros: micros(-26) },
    ]);
  });

  it('does not go off because work has begun, and says when it went off', async () => {
    const organisation = newOrganisation();
    await billing.grant(organisation, 10);
    const { id, lastCrossedAt } = await alertAt(organisation, 5);
    expect(lastCrossedAt).toBeNull();
    const reservationId = newId();
    const work = { reservationId, amountMicros: micros(9), purpose: 'run' };
    await billing.pipelines.credits.reserveCredits(work, service('pipelines', organisation));
    expect(await alertsOf(organisation)).toEqual(['5 ARMED']);
    await billing.book(organisation, 6, { reservationId });
    await tell();
    const { alerts } = await billing.alerts.listBalanceAlerts({}, member(organisation));
    expect(alerts).toMatchObject([{ id, state: 'LOW', lastCrossedAt: clock.now() }]);
  });

  it('hears also of credits that expire, and of nothing once it is deleted', async () => {
    const [one, other] = [newOrganisation(), newOrganisation()];
    for (const organisation of [one, other]) {
      await billing.grant(organisation, 10, { expiresAt: new Date(clock.now().getTime() + 1_000) });
      const { id } = await alertAt(organisation, 5);
      if (organisation === other) await billing.alerts.deleteBalanceAlert({ alertId: id }, member(other));
    }
    clock.advance(2_000);
    for (const organisation of [one, other]) await billing.credits.getCreditBalance({}, member(organisation));
    await tell();
    expect(await toldOf(one)).toHaveLength(1);
    expect(await toldOf(other)).toEqual([]);
  });

  it('is told once whichever step its process dies at', async () => {
    for (let step = 1; ; step += 1) {
      const organisation = newOrganisation();
      await billing.grant(organisation, 10);
      await alertAt(organisation, 5);
      await billing.book(organisation, 6);
      const { ports } = areas.balanceAlerts.exports;
      for (const when of ['before', 'after'] as const) {
        const alerts = dyingAt(step, when)(ports.alerts);
        const dying = { ...ports, alerts, logger: silent };
        await wasKilled(tellCrossings(dying));
      }
      await tell();
      expect(await toldOf(organisation)).toHaveLength(1);
      if (step === 3) break;
    }
  });

  it('counts every fall below it, whatever moves the balance', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.integer({ min: -30, max: 30 }).filter((credits) => credits !== 0),
          { maxLength: 12 },
        ),
        fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 4 }),
        async (movements, thresholds) => {
          const organisation = newOrganisation();
          await billing.grant(organisation, 20);
          for (const threshold of thresholds) await alertAt(organisation, threshold);
          let balance = 20;
          let expected = 0;
          for (const change of movements) {
            const after = balance + change;
            expected += thresholds.filter((threshold) => balance > threshold && after <= threshold).length;
            if (change > 0) await billing.grant(organisation, change);
            else await billing.book(organisation, -change);
            balance = after;
            await Promise.all([tell(), tell()]);
          }
          const states = thresholds
            .toSorted((one, other) => other - one)
            .map((threshold) => `${String(threshold)} ${balance <= threshold ? 'LOW' : 'ARMED'}`);
          expect(await alertsOf(organisation)).toEqual(states);
          expect(await toldOf(organisation)).toHaveLength(expected);
        },
      ),
      { numRuns: repetitions({ usual: 3, long: 100 }) },
    );
  });
});

describe('automatic top-up', () => {
  const terms = { thresholdMicros: micros(10), credits: 500, monthlyCapMinor: '100000' };
  const set = (organisation: string, more: Partial<typeof terms> = {}) =>
    billing.topUps.setAutomaticTopUp({ ...terms, ...more }, member(organisation));
  const shown = (organisation: string) => billing.topUps.getAutomaticTopUp({}, member(organisation));
  const purchasesOf = async (organisation: string) =>
    (await billing.credits.listCreditPurchases({}, member(organisation))).purchases.map(
      ({ status, origin, credits }) => `${origin} ${String(credits)} ${status}`,
    );
  const paymentsOf = (organisation: string) =>
    billing.pool.tenant(organisation, (trx) => trx('sandbox_payments').select('status'));
  const ports = () => areas.topUps.exports.ports;
  /** Several replicas, more than once: what a top-up takes up to its end. */
  const onSchedule = async () => {
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([lookAfterTopUps(ports()), lookAfterTopUps(ports())]);
      await lookAfterPayments(areas.payments.exports.ports);
    }
  };

  it('is off until somebody wants it', async () => {
    const organisation = newOrganisation();
    expect(await shown(organisation)).toMatchObject({ state: 'OFF', credits: null, spentThisMonthMinor: '0' });
    await billing.grant(organisation, 1);
    await onSchedule();
    expect(await purchasesOf(organisation)).toEqual([]);
  });

  it('buys once for each fall of the balance, and stays within what a month may cost', async () => {
    const organisation = await payingOrganisation(billing, 'pm_card_visa');
    await billing.grant(organisation, 20);
    const { totalMinor } = await billing.credits.previewCreditPurchase({ credits: 500 }, member(organisation));
    const monthlyCapMinor = String(2n * BigInt(totalMinor));
    expect(await set(organisation, { monthlyCapMinor })).toMatchObject({ state: 'ACTIVE', monthlyCapMinor });
    await onSchedule();
    expect(await purchasesOf(organisation)).toEqual([]);
    await billing.book(organisation, 10);
    await onSchedule();
    expect(await purchasesOf(organisation)).toEqual(['AUTOMATIC_TOP_UP 500 SUCCEEDED']);
    expect(await shown(organisation)).toMatchObject({
      state: 'ACTIVE',
      purchaseId: null,
      spentThisMonthMinor: totalMinor,
    });
    await billing.book(organisation, 500);
    await onSchedule();
    await billing.book(organisation, 500);
    await onSchedule();
    expect(await purchasesOf(organisation)).toHaveLength(2);
    const full = await shown(organisation);
    expect(full).toMatchObject({ state: 'CAP_REACHED', spentThisMonthMinor: monthlyCapMinor });
    clock.advance((full.resumesAt?.getTime() ?? 0) - clock.now().getTime());
    await onSchedule();
    expect(await purchasesOf(organisation)).toHaveLength(3);
    expect(await shown(organisation)).toMatchObject({ state: 'ACTIVE', spentThisMonthMinor: totalMinor });
    expect(await paymentsOf(organisation)).toHaveLength(3);
    expect((await billing.invoices.listInvoices({}, member(organisation))).invoices).toHaveLength(3);
  });

  it('stops where money that is given back, or taken back by a bank, is why the balance is low', async () => {
    for (const why of ['refunded', 'disputed'] as const) {
      const organisation = await payingOrganisation(billing, 'pm_card_visa');
      await set(organisation);
      await onSchedule();
      expect(await purchasesOf(organisation)).toEqual(['AUTOMATIC_TOP_UP 500 SUCCEEDED']);
      if (why === 'refunded') {
        const [invoice] = (await billing.invoices.listInvoices({}, member(organisation))).invoices;
        await billing.refunds.createRefund({ invoiceId: invoice?.id ?? '' }, member(organisation));
      } else {
        const [payment] = await areas.payments.exports.payments.list({
          states: ['SUCCEEDED'],
          organisationId: organisation,
          limit: 1,
        });
        const report = { reference: newId(), paymentReference: '', reason: 'fraudulent', isInquiry: false };
        const all = { amountMinor: payment?.amountMinor ?? 0n, currency: 'EUR', state: 'OPEN' as const };
        await areas.refunds.exports.disputeReported(payment as Payment, { ...report, ...all }, newId());
      }
      await onSchedule();
      expect(await purchasesOf(organisation)).toHaveLength(1);
      expect(await shown(organisation)).toMatchObject({ state: 'STOPPED', stoppedCode: `payment_${why}` });
      await set(organisation);
      await onSchedule();
      expect(await purchasesOf(organisation)).toHaveLength(2);
    }
  });

  it('and alerts go on with the next organisations, whatever fails for the first', async () => {
    const organisations = await Promise.all(
      Array.from({ length: 3 }, () => payingOrganisation(billing, 'pm_card_visa')),
    );
    for (const organisation of organisations) {
      await billing.grant(organisation, 20);
      await set(organisation);
      await alertAt(organisation, 10);
      await billing.book(organisation, 15);
    }
    const { topUps } = ports();
    const { alerts } = areas.balanceAlerts.exports.ports;
    const others = await topUps.due(clock.now(), everybody, 1_000, '').then((all) => all.length - 3);
    const [one] = await topUps.due(clock.now(), everybody, 1, '');
    const due = await topUps.due(clock.now(), everybody, others + 2, one?.organisationId ?? '');
    expect(due.map(({ organisationId }) => organisationId)).not.toContain(one?.organisationId);
    const [first] = await alerts.untold(everybody, 1, '');
    const [second] = await alerts.untold(everybody, 1, first ?? '');
    const [third] = await alerts.untold(everybody, 1, second ?? '');
    expect(new Set([first, second, third]).size).toBe(3);
    await tell();
    await onSchedule();
  });

  it('counts only what was paid in the currency of the cap', async () => {
    const organisation = await payingOrganisation(billing, 'pm_card_visa');
    await set(organisation);
    await onSchedule();
    expect(await purchasesOf(organisation)).toEqual(['AUTOMATIC_TOP_UP 500 SUCCEEDED']);
    const asked = { credits: 500, currency: 'USD' };
    const { totalMinor } = await billing.credits.previewCreditPurchase(asked, member(organisation));
    const inDollars = { ...terms, currency: 'USD', monthlyCapMinor: totalMinor };
    const changed = await billing.topUps.setAutomaticTopUp(inDollars, member(organisation));
    expect(changed).toMatchObject({ state: 'ACTIVE', currency: 'USD', spentThisMonthMinor: '0' });
    await billing.book(organisation, 500);
    await onSchedule();
    expect(await purchasesOf(organisation)).toHaveLength(2);
    expect(await shown(organisation)).toMatchObject({ state: 'ACTIVE', spentThisMonthMinor: totalMinor });
  });

  it('buys again where one was not enough, and at once where the balance is low already', async () => {
    const organisation = await payingOrganisation(billing, 'pm_card_visa');
    await billing.book(organisation, 700);
    await set(organisation);
    await onSchedule();
    await onSchedule();
    expect(await purchasesOf(organisation)).toEqual(Array.from({ length: 2 }, () => 'AUTOMATIC_TOP_UP 500 SUCCEEDED'));
    await set(organisation);
    await onSchedule();
    expect(await purchasesOf(organisation)).toHaveLength(2);
  });

  it.each([
    ['pm_card_chargeCustomerFail', 'card_declined'],
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['pm_card_authenticationRequired', 'authentication_required'],
  ])('stops when %s is not charged, says so, and goes on when it is set again', async (card, stoppedCode) => {
    const organisation = await payingOrganisation(billing, card);
    await set(organisation);
    await onSchedule();
    expect(await shown(organisation)).toMatchObject({ state: 'STOPPED', stoppedCode, spentThisMonthMinor: '0' });
    await billing.grant(organisation, 100);
    await billing.book(organisation, 100);
    await onSchedule();
    expect(await purchasesOf(organisation)).toEqual(['AUTOMATIC_TOP_UP 500 DECLINED']);
    const told = (await publishedEvents(billing.database)).filter(
      ({ organisationid, type }) => organisationid === organisation && type.includes('top_up'),
    );
    expect(told.map(({ type, data }) => [type.split('.').slice(-2).join('.'), data['code']])).toEqual([
      ['automatic_top_up.changed', null],
      ['top_up.started', undefined],
      ['top_up.failed', stoppedCode],
      ['automatic_top_up.changed', stoppedCode],
    ]);
    expect(await set(organisation)).toMatchObject({ state: 'ACTIVE', stoppedCode: null });
    await onSchedule();
    expect(await purchasesOf(organisation)).toHaveLength(2);
  });

  it('buys by the terms that it has when it buys, also when they change while the price is asked for', async () => {
    const organisation = await payingOrganisation(billing, 'pm_card_visa');
    await set(organisation);
    const { priceOfPurchase } = ports();
    const changing: TopUpPorts = {
      ...ports(),
      logger: silent,
      priceOfPurchase: async (...asked) => {
        const price = await priceOfPurchase(...asked);
        if (asked[0] === organisation) await set(organisation, { credits: 600 });
        return price;
      },
    };
    await lookAfterTopUps(changing);
    expect(await purchasesOf(organisation)).toEqual([]);
    await onSchedule();
    expect(await purchasesOf(organisation)).toEqual(['AUTOMATIC_TOP_UP 600 SUCCEEDED']);
  });

  it('is one payment for one fall whichever step a process dies at, while others do the same', async () => {
    // What is due, the terms, the purchase with them, then the steps of its payment.
    for (let step = 1; step <= 9; step += 1) {
      for (const when of sidesOfSteps()) {
        const organisation = await payingOrganisation(billing, 'pm_card_visa');
        await billing.grant(organisation, 20);
        await set(organisation);
        await billing.book(organisation, 15);
        const crashing = dyingAt(step, when);
        const payments = areas.payments.exports.ports;
        const dyingPayments = {
          ...payments,
          payments: crashing(payments.payments),
          provider: crashing(payments.provider),
        };
        const buying = areas.purchases.exports.ports;
        const dyingBuying = {
          ...buying,
          purchases: crashing(buying.purchases),
          collectPayment: (request: PaymentRequest) => collectPayment(dyingPayments, request),
        };
        const dying: TopUpPorts = {
          ...ports(),
          topUps: crashing(ports().topUps),
          chargePurchase: (by, purchase) => chargePurchase(dyingBuying, by, purchase),
          logger: silent,
        };
        await wasKilled(lookAfterTopUps(dying));
        clock.advance(61_000);
        await purchaseUseCases(buying).payAbandoned(billing.logger);
        await onSchedule();
        expect(await purchasesOf(organisation)).toEqual(['AUTOMATIC_TOP_UP 500 SUCCEEDED']);
        expect(await paymentsOf(organisation)).toHaveLength(1);
        expect(await shown(organisation)).toMatchObject({ state: 'ACTIVE', purchaseId: null });
      }
    }
  });
});
