import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { billingContract } from '@platform-backend/contract-billing';
import { fixedClock, newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import {
  openEventBus,
  subscribe,
  type DeliveredEvent,
  type EventBus,
  type Subscription,
} from '@platform-backend/events';
import { setUpStreams } from '@platform-backend/events/set-up';
import {
  eventTypesOf,
  misfits,
  newOrganisation,
  publishedEvents,
  refusalOf,
  service,
} from '@platform-backend/service/testing';
import { throwawayNats, waitFor, type ThrowawayNats } from '@platform-backend/testing';
import { billingAreas } from '../src/areas.ts';
import { couponsStore } from '../src/coupons/store/coupons-store.ts';
import { adjustCredits } from '../src/credits/domain/credit-account.ts';
import { systemActor } from '../src/events.ts';
import type { Payment } from '../src/payments/domain/payment.ts';
import { afterOutcome, newRefund } from '../src/refunds/domain/refund.ts';
import { startRealIdentity, type RealIdentity } from './real-identity.ts';
import { micros, startTestBilling, type TestBilling } from './test-billing.ts';

const clock = fixedClock('2026-04-01T12:00:00.000Z');
const prefix = 'platform.v1.billing.';
let nats: ThrowawayNats;
let identity: RealIdentity;
let billing: TestBilling;
let bus: EventBus;
let subscription: Subscription;
const delivered: DeliveredEvent[] = [];
beforeAll(async () => {
  nats = await throwawayNats();
  identity = await startRealIdentity();
  const environment = { IDENTITY_ADDRESS: identity.process.address };
  billing = await startTestBilling({ natsUrl: nats.url, clock, environment });
  const logger = createLogger({ service: 'test', level: 'silent' });
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(240_000) });
  bus = openEventBus({ servers: nats.url, name: 'test', logger });
  const connected = Promise.withResolvers<undefined>();
  subscription = subscribe({
    bus,
    logger,
    on: `${prefix}>`,
    onEvent: (event) => delivered.push(event),
    onConnected: () => connected.resolve(undefined),
  });
  await connected.promise;
});
afterAll(async () => {
  await subscription.close();
  await bus.close();
  await billing.stop();
  await identity.stop();
  await nats.drop();
});

const inAnHour = () => new Date(clock.now().getTime() + 3_600_000);

describe('the events of credits', () => {
  it('tell what happened, in the order it happened', async () => {
    const organisation = newOrganisation();
    const as = service('pipelines', organisation);
    const { credits } = billing.pipelines;
    const reserve = async (amount: number): Promise<string> => {
      const reservationId = newId();
      await credits.reserveCredits({ reservationId, amountMicros: micros(amount), purpose: 'run' }, as);
      return reservationId;
    };
    await billing.grant(organisation, 5, { expiresAt: inAnHour() });
    await credits.settleCredits({ reservationId: await reserve(2), amountMicros: micros(1) }, as);
    await credits.releaseCredits({ reservationId: await reserve(4) }, as);
    await billing.book(organisation, 1, { reservationId: await reserve(2) });
    await refusalOf(reserve(4));
    await refusalOf(reserve(6));
    const expected = ['granted', 'reserved', 'settled', 'reserved', 'exhausted', 'released'];
    expected.push('reserved', 'debited', 'exhausted');
    const events = await waitFor(
      () => {
        const own = delivered.filter(({ organisationId }) => organisationId === organisation);
        return own.length >= expected.length ? own : undefined;
      },
      { what: 'the events' },
    );
    expect(events.map(({ type }) => type)).toEqual(expected.map((verb) => `${prefix}credits.${verb}`));
    expect(events.every(({ requestId }) => requestId !== undefined && requestId !== '')).toBe(true);
  });
});

describe('the events of billing', () => {
  it('are all that the contract describes, each as it is described', async () => {
    const { caller, organisation } = await identity.found();
    const [by, as] = [{ caller }, service('pipelines', organisation.id)];
    const { credits, subscriptions, paymentMethods, invoices, testClocks, usage, pipelines } = billing;
    const useCard = async (card: string): Promise<string> => {
      const { clientSecret } = await paymentMethods.createSetupIntent({}, by);
      const { paymentMethod } = await paymentMethods.confirmInSandbox({ clientSecret, card }, by);
      const paymentMethodId = paymentMethod?.id ?? '';
      await paymentMethods.setDefaultPaymentMethod({ paymentMethodId }, by);
      return paymentMethodId;
    };
    const reserve = async (amount: number): Promise<string> => {
      const reservationId = newId();
      await pipelines.credits.reserveCredits({ reservationId, amountMicros: micros(amount), purpose: 'run' }, as);
      return reservationId;
    };
    const coupon = {
      percentOff: 10,
      amountOffMinor: null,
      currency: null,
      duration: 'ONCE',
      durationMonths: null,
    } as const;
    const offered = { redeemBy: null, maxRedemptions: null, redemptions: 0, archivedAt: null, createdAt: clock.now() };
    await couponsStore(billing.pool).add({ code: 'TEN', ...coupon, ...offered });
    await billing.coupons.redeemPromotionCode({ code: 'TEN' }, by);
    const details = { companyName: 'Acme', addressLines: ['Bonn'], vatId: '', country: 'DE' };
    await invoices.setBillingDetails(details, by);
    await subscriptions.changeSubscription({ seatCount: 5, subscriptionTier: 'BASIC' }, by);
    await subscriptions.changeSubscription({ seatCount: 5, subscriptionTier: 'BASIC', renew: true }, by);
    const paymentMethodId = await useCard('pm_card_visa_chargeDeclinedInsufficientFunds');
    await refusalOf(subscriptions.changeSubscription({ seatCount: 9, subscriptionTier: 'BASIC' }, by));
    await useCard('pm_card_visa');
    await paymentMethods.detachPaymentMethod({ paymentMethodId }, by);
    await credits.purchaseCredits({ credits: 1000 }, by);
    const { refunds, payments, credits: accounts } = await billingAreas(billing.frame);
    await accounts.exports.credits.adjust(systemActor(organisation.id, newId()), 'test', clock.now(), (holdings) =>
      adjustCredits(holdings, organisation.id, { transactionId: newId(), amount: 1n, reason: 'test' }, clock.now()),
    );
    const [newest] = (await invoices.listInvoices({}, by)).invoices;
    const invoiceId = newest?.id ?? '';
    await billing.refunds.createRefund({ invoiceId, amountMinor: '1' }, by);
    const failing = await refunds.exports.ports.refunds.begin(
      systemActor(organisation.id, newId()),
      invoiceId,
      'not_asked',
      clock.now(),
      (of) => {
        const requested = {
          id: newId(),
          organisationId: organisation.id,
          amountMinor: 1n,
          memo: '',
          requestId: newId(),
        };
        const { actor: requestedBy } = systemActor(organisation.id, newId());
        return newRefund(of, { ...requested, reason: 'GOODWILL', requestedBy }, clock.now(), clock.now());
      },
    );
    const declined = { status: 'failed', reference: '', reason: 'declined' } as const;
    await refunds.exports.ports.refunds.update(failing, systemActor(organisation.id, newId()), clock.now(), (refund) =>
      afterOutcome(refund, declined, newId(), clock.now()),
    );
    const all = await payments.exports.payments.list({
      states: ['SUCCEEDED'],
      organisationId: organisation.id,
      limit: 1,
    });
    const dispute = { reference: 'dp_1', paymentReference: '', amountMinor: 1n, currency: 'EUR', reason: 'fraudulent' };
    for (const state of ['OPEN', 'WON'] as const) {
      await refunds.exports.disputeReported(all[0] as Payment, { ...dispute, state, isInquiry: false }, newId());
    }
    for (let n = 0; n < 41; n += 1) await paymentMethods.createSetupIntent({}, by).catch(() => undefined);

    const { clientGroups } = await identity.clientGroups.listClientGroups({}, by);
    const policy = { groupId: clientGroups[0]?.id ?? '', periodDays: 7, hardStop: true, requestLimit: '2' };
    await identity.clientGroups.setClientPolicy(
      policy as Parameters<RealIdentity['clientGroups']['setClientPolicy']>[0],
      by,
    );
    const gateway = service('gateway', organisation.id);
    const { leaseId, granted } = await usage.leaseQuota({ leaseId: newId(), requested: 2 }, gateway);
    const used = { lastLeaseId: leaseId, usedOfLastLease: granted };
    await usage.leaseQuota({ leaseId: newId(), requested: 0, ...used }, gateway);

    await pipelines.credits.settleCredits({ reservationId: await reserve(1), amountMicros: micros(1) }, as);
    await pipelines.credits.releaseCredits({ reservationId: await reserve(1) }, as);
    const { availableMicros, reservedMicros } = await credits.getCreditBalance({}, by);
    const balance = BigInt(availableMicros) + BigInt(reservedMicros);
    await billing.alerts.createBalanceAlert({ thresholdMicros: String(balance - 1n) }, by);
    await billing.book(organisation.id, 1);
    await refusalOf(reserve(1_000_000));
    await billing.grant(organisation.id, 5, { expiresAt: inAnHour() });
    clock.advance(7_200_000);
    const published = (name: string) =>
      waitFor(
        async () => {
          const found = await publishedEvents(billing.database);
          return found.some(({ type }) => type === `${prefix}${name}`) ? found : undefined;
        },
        { what: name },
      );
    await published('credits.balance_low');
    await published('credits.expired');
    const lowAlready = { thresholdMicros: micros(10_000), credits: 20_000, monthlyCapMinor: '1000000' };
    await billing.topUps.setAutomaticTopUp(lowAlready, by);
    await published('top_up.succeeded');
    await useCard('pm_card_chargeCustomerFail');
    await billing.topUps.setAutomaticTopUp({ ...lowAlready, thresholdMicros: micros(100_000) }, by);
    await published('top_up.failed');
    await billing.mails.setBillingMailPreferences({ disabled: ['TOP_UP_FAILED'] }, by);
    const counted = { slug: 'runs', name: 'Runs', description: '', eventType: 'run', aggregation: 'COUNT' } as const;
    const { id: meterId } = await billing.meters.createMeter({ ...counted, valueProperty: null, groupBy: {} }, by);
    await billing.meters.updateMeter({ meterId, name: 'All runs', updateMask: { paths: ['name'] } }, by);
    await billing.meters.archiveMeter({ meterId }, by);
    await testClocks.createTestClock({}, by);
    clock.advance(1_000);
    // Two cycles are paid for.
    await testClocks.advanceTestClock({ to: new Date(clock.now().getTime() + 56 * 86_400_000) }, by);
    await published('test_clock.ready');
    await testClocks.advanceTestClock({ to: new Date(clock.now().getTime() + 62 * 86_400_000) }, by);
    await waitFor(async () => (await testClocks.getTestClock({}, by)).status === 'READY', { what: 'the clock' });
    const open = await waitFor(async () => (await invoices.listInvoices({ status: ['OPEN'] }, by)).invoices[0], {
      what: 'a renewal that is not paid',
    });
    await invoices.voidInvoice({ invoiceId: open.id }, by);
    await testClocks.deleteTestClock({}, by);
    await published('test_clock.deleted');
    const trying = { seatCount: 1, subscriptionTier: 'TEAM', trial: true } as const;
    await subscriptions.changeSubscription(trying, { caller: (await identity.found()).caller });
    clock.advance(12 * 86_400_000);
    const events = await published('subscription.trial_ending');
    expect(misfits(billingContract, events)).toEqual([]);
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(eventTypesOf(billingContract).sort());
  });
});
