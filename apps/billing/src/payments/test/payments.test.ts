import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError, fixedClock, newId, unavailable, type Pending } from '@platform-backend/core';
import { refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import Stripe from 'stripe';
import { startRealIdentity, type Founder, type RealIdentity } from '../../../test/real-identity.ts';
import { startStripeDouble, type StripeDouble } from '../../../test/stripe-double.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { billingAreas } from '../../areas.ts';
import { systemActor } from '../../events.ts';
import { newRefund } from '../../refunds/domain/refund.ts';
import { refundsStore } from '../../refunds/store/refunds-store.ts';
import { changeSubscription } from '../../subscriptions/app/subscriptions.ts';
import { workOnSchedule } from '../../subscriptions/app/work-on-schedule.ts';
import { lookAfterPayments } from '../app/collect-payment.ts';
import { refreshWallet } from '../app/wallets.ts';

const hour = 3_600_000;
const webhookSecret = 'whsec_test';
const clock = fixedClock(new Date());
let identity: RealIdentity;
let stripe: StripeDouble;
let billing: TestBilling;
let areas: Awaited<ReturnType<typeof billingAreas>>;
let ports: Awaited<ReturnType<typeof billingAreas>>['payments']['exports']['ports'];

beforeAll(async () => {
  identity = await startRealIdentity();
  stripe = await startStripeDouble(() => clock.now().getTime());
  billing = await startTestBilling({
    clock,
    environment: {
      IDENTITY_ADDRESS: identity.process.address,
      BILLING_PAYMENT_PROCESSOR: 'stripe',
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_URL: stripe.url,
      // Its own schedule never runs here: each test is the schedule.
      BILLING_SCHEDULE_SECONDS: '3600',
    },
  });
  areas = await billingAreas(billing.frame);
  ports = areas.payments.exports.ports;
});
afterAll(async () => {
  await billing.stop();
  await stripe.stop();
  await identity.stop();
});

async function payingWith(card: string): Promise<Founder> {
  const founder = await identity.found();
  const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, founder);
  stripe.confirmSetup(clientSecret, card);
  return founder;
}

const intentsOf = ({ organisation: { id } }: Founder) =>
  [...stripe.intents.values()].filter(
    ({ metadata }) => (metadata as { organisation_id: string }).organisation_id === id,
  );
const statusesOf = (founder: Founder) => intentsOf(founder).map(({ status }) => status);
const paymentsOf = ({ organisation: { id: organisationId } }: Founder) =>
  ports.payments.list({ states: [], organisationId, limit: 10 });
const buy = (founder: Founder) => billing.credits.purchaseCredits({ credits: 70 }, founder);
const purchaseOf = async (founder: Founder) => (await billing.credits.listCreditPurchases({}, founder)).purchases[0];
const change = (founder: Founder, seatCount = 6) =>
  billing.subscriptions.changeSubscription({ seatCount, subscriptionTier: 'TEAM' }, founder);

/** What a call was told that is not over. */
async function pendingOf(call: Promise<unknown>): Promise<Pending> {
  const error = await call.catch((failure: unknown) => failure);
  if (error instanceof DomainError && error.kind === 'accepted' && error.pending) return error.pending;
  throw error;
}

/** The schedule, after a while. */
async function after(ms: number): Promise<void> {
  clock.advance(ms);
  for (let round = 0; round < 3; round += 1) await lookAfterPayments(ports);
}

function report(type: string, object: object): Promise<object> {
  const event = {
    id: `evt_${newId()}`,
    object: 'event',
    type,
    created: Math.floor(Date.now() / 1000),
    data: { object },
  };
  const payload = JSON.stringify(event);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
  const nobody = { caller: { kind: 'anonymous', service: 'gateway', scopes: [] } as const };
  return billing.webhooks.receiveStripeWebhook({ payload: Buffer.from(payload), signature }, nobody);
}

describe('a schedule at rest', () => {
  const jobs = () => [areas.payments.jobs, areas.refunds.jobs, areas.subscriptions.jobs].map(([job]) => job);
  const untilDue = () => Promise.all(jobs().map(async (job) => job?.untilDueMs?.()));

  it('comes back when the first payment, refund, change or renewal is due', async () => {
    expect(jobs().map((job) => typeof job?.untilDueMs)).toEqual(['function', 'function', 'function']);
    expect(await untilDue()).toEqual([undefined, undefined, undefined]);
    const renewed = await payingWith('pm_card_visa');
    await change(renewed);
    await after(0);
    const { currentPeriodEnd } = await billing.subscriptions.getSubscription({}, renewed);
    const untilRenewal = (currentPeriodEnd?.getTime() ?? 0) - clock.now().getTime();
    expect(await untilDue()).toEqual([undefined, undefined, untilRenewal]);

    const changing = await payingWith('pm_usBankAccount_processing');
    await pendingOf(change(changing));
    const [payment] = await paymentsOf(changing);
    const untilPayment = (payment?.nextLookAt?.getTime() ?? 0) - clock.now().getTime();
    expect(untilPayment).toBeGreaterThan(0);
    const [ofPayments, ofRefunds, ofSubscriptions = untilRenewal] = await untilDue();
    expect([ofPayments, ofRefunds]).toEqual([untilPayment, undefined]);
    // Whoever has begun the change may have died.
    expect(ofSubscriptions).toBeLessThan(24 * hour);

    const { id: organisationId } = renewed.organisation;
    const [invoice] = (await billing.invoices.listInvoices({}, renewed)).invoices;
    const by = systemActor(organisationId, newId());
    const at = clock.now();
    const request = { id: newId(), organisationId, amountMinor: 100n, requestId: by.requestId, requestedBy: by.actor };
    const lease = new Date(at.getTime() + 60_000);
    await refundsStore(billing.pool).begin(by, invoice?.id ?? '', 'not_asked', at, (of) =>
      newRefund(of, { ...request, reason: 'GOODWILL', memo: '' }, at, lease),
    );
    expect((await untilDue())[1]).toBe(60_000);
  });
});

describe('a payment', () => {
  it('has our id in the metadata of the processor from the first call on', async () => {
    const ada = await payingWith('pm_card_visa');
    await buy(ada);
    await change(ada);
    const payments = await paymentsOf(ada);
    expect(
      intentsOf(ada)
        .map(({ metadata }) => (metadata as { payment_id: string }).payment_id)
        .toSorted(),
    ).toEqual(payments.map(({ id }) => id).toSorted());
    expect(payments.map(({ purpose, state, attempt }) => [purpose, state, attempt]).toSorted()).toEqual([
      ['CREDIT_PURCHASE', 'SUCCEEDED', 1],
      ['SUBSCRIPTION_CHANGE', 'SUCCEEDED', 1],
    ]);
    await after(0);
    expect((await paymentsOf(ada)).map(({ nextLookAt }) => nextLookAt)).toEqual([null, null]);
  });

  it.each(['by a report', 'without any report'])(
    'that the bank settles two days later is booked then, %s',
    async (how) => {
      const ada = await payingWith('pm_usBankAccount_processing');
      expect(await refusalOf(buy(ada))).toMatchObject({ kind: 'accepted', code: 'purchase_not_paid_yet' });
      const [intent] = intentsOf(ada);
      await after(48 * hour);
      expect(await purchaseOf(ada)).toMatchObject({ status: 'PENDING' });
      stripe.confirmPayment(String(intent?.['id']));
      if (how === 'by a report') await report('payment_intent.succeeded', intent ?? {});
      else await after(2 * hour);
      expect(await purchaseOf(ada)).toMatchObject({ status: 'SUCCEEDED' });
      expect(await billing.credits.getCreditBalance({}, ada)).toMatchObject({ availableMicros: micros(70) });
      expect((await billing.invoices.listInvoices({}, ada)).invoices).toHaveLength(1);
    },
  );

  it('of a subscription that the bank settles two days later begins it then, by its report', async () => {
    const ada = await payingWith('pm_usBankAccount_processing');
    const begun = await pendingOf(change(ada));
    const changeOf = () => billing.subscriptions.getSubscriptionChange({ changeId: begun.id }, ada);
    expect(begun.location).toBe(`/subscription/changes/${begun.id}/`);
    expect(await changeOf()).toMatchObject({ state: 'PENDING', change: 'started', total: 207.06, code: null });
    const [intent] = intentsOf(ada);
    await after(48 * hour);
    await expect(change(ada, 7)).rejects.toMatchObject({ code: 'subscription_change_running', retryAfterSeconds: 5 });
    expect(await identity.current(ada)).toMatchObject({ hasPlan: false });
    stripe.confirmPayment(String(intent?.['id']));
    // The reference may be the one thing that is not known.
    await report('payment_intent.succeeded', { ...intent, customer: null });
    expect(await identity.current(ada)).toMatchObject({ hasPlan: true, maxMemberLimit: 6 });
    expect(await billing.subscriptions.getSubscription({}, ada)).toMatchObject({ status: 'ACTIVE', seatCount: 6 });
    expect(await changeOf()).toMatchObject({ state: 'SUCCEEDED' });
    const stranger = await identity.found();
    expect(
      await refusalOf(billing.subscriptions.getSubscriptionChange({ changeId: begun.id }, stranger)),
    ).toMatchObject({ code: 'change_not_found' });
  });

  it('that the bank never decides is for a person after two weeks, and can be cancelled as soon as the bank allows it', async () => {
    const ada = await payingWith('pm_usBankAccount_processing');
    await refusalOf(buy(ada));
    await after(15 * 24 * hour);
    expect(await paymentsOf(ada)).toMatchObject([{ state: 'UNRESOLVED' }]);
    const [intent] = intentsOf(ada);
    Object.assign(intent ?? {}, { status: 'canceled' });
    await after(2 * hour);
    expect(await purchaseOf(ada)).toMatchObject({ status: 'DECLINED' });
  });

  it('whose customer was deleted at the processor is refused, and the organisation can pay again with a new card', async () => {
    const ada = await payingWith('pm_card_visa');
    await buy(ada);
    const [customer] = [...stripe.customers.values()].filter(
      ({ metadata }) => (metadata as { organisation_id: string }).organisation_id === ada.organisation.id,
    );
    stripe.deleteCustomer(String(customer?.['id']));
    expect(await refusalOf(buy(ada))).toMatchObject({ kind: 'payment_required', code: 'payment_method_required' });
    expect((await billing.paymentMethods.listPaymentMethods({}, ada)).paymentMethods).toEqual([]);
    const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, ada);
    stripe.confirmSetup(clientSecret, 'pm_card_visa');
    expect(await buy(ada)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('is possible again with a card that is set up after the customer was deleted', async () => {
    const ada = await payingWith('pm_card_visa');
    const [customer] = [...stripe.customers.values()].filter(
      ({ metadata }) => (metadata as { organisation_id: string }).organisation_id === ada.organisation.id,
    );
    stripe.deleteCustomer(String(customer?.['id']));
    const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, ada);
    stripe.confirmSetup(clientSecret, 'pm_card_visa');
    expect(await buy(ada)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('for whose key the processor repeats its own failure is tried with another key, and paid once', async () => {
    const ada = await payingWith('pm_card_visa');
    await billing.paymentMethods.listPaymentMethods({}, ada);
    stripe.failPayments(1);
    await buy(ada).catch(() => undefined);
    await after(10_000);
    expect(await purchaseOf(ada)).toMatchObject({ status: 'SUCCEEDED' });
    expect(statusesOf(ada)).toEqual(['succeeded']);
    expect((await paymentsOf(ada)).map(({ attempt, state }) => [attempt, state]).toSorted()).toEqual([
      [1, 'CANCELLED'],
      [2, 'SUCCEEDED'],
    ]);
    expect((await billing.invoices.listInvoices({}, ada)).invoices).toHaveLength(1);
  });

  it('that the processor itself can never make ends as refused', async () => {
    const ada = await payingWith('pm_card_visa');
    await billing.paymentMethods.listPaymentMethods({}, ada);
    stripe.failPayments(100);
    await refusalOf(change(ada));
    for (let hours = 0; hours < 30; hours += 1) await after(hour);
    stripe.failPayments(0);
    expect(intentsOf(ada)).toEqual([]);
    const [last] = (await paymentsOf(ada)).toSorted((one, other) => other.attempt - one.attempt);
    expect(last).toMatchObject({ attempt: 3, state: 'CANCELLED', nextLookAt: null });
    await change(ada);
    expect(statusesOf(ada)).toEqual(['succeeded']);
  });

  it('that its payer never confirms is cancelled at the processor after a day, so that it cannot be paid later', async () => {
    const ada = await payingWith('pm_card_authenticationRequired');
    expect(await buy(ada)).toMatchObject({ status: 'REQUIRES_ACTION' });
    await after(23 * hour);
    expect(await purchaseOf(ada)).toMatchObject({ status: 'REQUIRES_ACTION', clientSecret: expect.any(String) });
    await after(2 * hour);
    expect(await purchaseOf(ada)).toMatchObject({ status: 'DECLINED', clientSecret: null });
    expect(statusesOf(ada)).toEqual(['canceled']);
  });

  it('can be cancelled by who has asked for it, which counts unless it was paid before', async () => {
    const [ada, bob, cy] = [
      await payingWith('pm_card_authenticationRequired'),
      await payingWith('pm_card_visa'),
      await payingWith('pm_card_visa'),
    ];
    const { id: purchaseId } = await buy(ada);
    for (let time = 0; time < 2; time += 1) {
      expect(await billing.credits.cancelCreditPurchase({ purchaseId }, ada)).toMatchObject({ status: 'DECLINED' });
    }
    expect(statusesOf(ada)).toEqual(['canceled']);
    for (const [founder, breaks, state, hasPlan] of [
      [bob, 'before', 'REFUSED', false],
      [cy, 'after', 'SUCCEEDED', true],
    ] as const) {
      await billing.paymentMethods.listPaymentMethods({}, founder);
      stripe.breakConnections(breaks);
      const { id: changeId } = await pendingOf(change(founder));
      stripe.breakConnections('no');
      for (let time = 0; time < 2; time += 1) {
        const ended = await billing.subscriptions.cancelSubscriptionChange({ changeId }, founder);
        expect(ended).toMatchObject({ state });
      }
      expect(await identity.current(founder)).toMatchObject({ hasPlan });
    }
  });

  it('that was declined is cancelled at the processor as well', async () => {
    const ada = await payingWith('pm_card_chargeCustomerFail');
    expect(await refusalOf(buy(ada))).toMatchObject({ kind: 'payment_required' });
    await after(0);
    expect(statusesOf(ada)).toEqual(['canceled']);
    expect(await paymentsOf(ada)).toMatchObject([{ state: 'DECLINED', nextLookAt: null }]);
  });

  it('of which nothing was heard for a day is looked for at the processor before it is given up', async () => {
    const [ada, bob] = [await payingWith('pm_card_visa'), await payingWith('pm_card_visa')];
    for (const founder of [ada, bob]) await billing.paymentMethods.listPaymentMethods({}, founder);
    stripe.breakConnections('after');
    expect(await refusalOf(buy(ada))).toMatchObject({ kind: 'accepted' });
    stripe.breakConnections('before');
    expect(await refusalOf(buy(bob))).toMatchObject({ kind: 'accepted' });
    await after(30 * hour);
    expect((await paymentsOf(ada)).map(({ state }) => state)).toEqual(['UNRESOLVED']);
    stripe.breakConnections('no');
    await after(2 * hour);
    expect([await purchaseOf(ada), await purchaseOf(bob)]).toMatchObject([
      { status: 'SUCCEEDED' },
      { status: 'DECLINED' },
    ]);
    expect([statusesOf(ada), statusesOf(bob)]).toEqual([['succeeded'], []]);
  });

  it('that turns out to be paid after it was given up is booked all the same', async () => {
    const ada = await payingWith('pm_card_authenticationRequired');
    await buy(ada);
    const [intent] = intentsOf(ada);
    await after(25 * hour);
    expect(await purchaseOf(ada)).toMatchObject({ status: 'DECLINED' });
    await report('payment_intent.succeeded', intent ?? {});
    expect(await purchaseOf(ada)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await billing.credits.getCreditBalance({}, ada)).toMatchObject({ availableMicros: micros(70) });
  });

  it('is not waited for longer than a caller waits: the purchase and the change are named, and end by themselves', async () => {
    const [ada, bob] = [await payingWith('pm_card_visa'), await payingWith('pm_card_visa')];
    for (const founder of [ada, bob]) await billing.paymentMethods.listPaymentMethods({}, founder);
    const answer = stripe.stall();
    const [purchase, begun] = await Promise.all([pendingOf(buy(ada)), pendingOf(change(bob))]);
    answer();
    expect(purchase).toMatchObject({ state: 'PENDING', location: `/credits/purchases/${purchase.id}/` });
    await waitFor(async () => (await purchaseOf(ada))?.status === 'SUCCEEDED');
    const over = () => billing.subscriptions.getSubscriptionChange({ changeId: begun.id }, bob);
    await waitFor(async () => (await over()).state === 'SUCCEEDED');
    expect([statusesOf(ada), statusesOf(bob)]).toEqual([['succeeded'], ['succeeded']]);
  }, 60_000);

  it('is made with what is attached now: a look at the processor that is older than a change does not undo it', async () => {
    const ada = await payingWith('pm_card_visa');
    const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, ada);
    stripe.confirmSetup(clientSecret, 'pm_card_visa');
    const { paymentMethods } = await billing.paymentMethods.listPaymentMethods({}, ada);
    const [newer] = paymentMethods;
    let isDetached = false;
    const slow = {
      ...ports,
      provider: {
        ...ports.provider,
        listPaymentMethods: async (payer: Parameters<typeof ports.provider.listPaymentMethods>[0]) => {
          const found = await ports.provider.listPaymentMethods(payer);
          if (isDetached) return found;
          isDetached = true;
          await billing.paymentMethods.detachPaymentMethod({ paymentMethodId: newer?.id ?? '' }, ada);
          return found;
        },
      },
    };
    const { methods } = await refreshWallet(slow, systemActor(ada.organisation.id, newId()));
    expect(methods.map(({ id }) => id)).toEqual([paymentMethods[1]?.id]);
  });

  it('was made, and identity cannot be told of the change: that is no failure, and the change is named', async () => {
    const ada = await payingWith('pm_card_visa');
    await billing.paymentMethods.listPaymentMethods({}, ada);
    const { subscriptions } = await billingAreas(billing.frame);
    const told = subscriptions.exports.ports.organisations;
    let times = 0;
    const failing = {
      ...subscriptions.exports.ports,
      organisations: {
        applyPlan: (report: Parameters<typeof told.applyPlan>[0]) => {
          times += 1;
          return times > 1 ? Promise.reject(unavailable(new Error('identity is away'))) : told.applyPlan(report);
        },
      },
    };
    const by = {
      organisationId: ada.organisation.id,
      actor: { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'OWNER' } as const,
      requestId: newId(),
    };
    const begun = await pendingOf(changeSubscription(failing, by, { tier: 'TEAM', seatCount: 6 }));
    expect(statusesOf(ada)).toEqual(['succeeded']);
    clock.advance(10_000);
    await workOnSchedule(subscriptions.exports.ports, billing.logger);
    expect(await billing.subscriptions.getSubscriptionChange({ changeId: begun.id }, ada)).toMatchObject({
      state: 'SUCCEEDED',
    });
  });
});
