import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError, newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import Stripe from 'stripe';
import { startRealIdentity, type Founder, type RealIdentity } from '../../../test/real-identity.ts';
import { startStripeDouble, type StripeDouble } from '../../../test/stripe-double.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { pdfPages } from '../../invoices/test/pdf-text.ts';

const webhookSecret = 'whsec_test';
let identity: RealIdentity;
let stripe: StripeDouble;
let billing: TestBilling;
beforeAll(async () => {
  identity = await startRealIdentity();
  stripe = await startStripeDouble();
  billing = await startTestBilling({
    environment: {
      IDENTITY_ADDRESS: identity.process.address,
      BILLING_PAYMENT_PROCESSOR: 'stripe',
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_URL: stripe.url,
      BILLING_SCHEDULE_SECONDS: '1',
    },
  });
});
afterAll(async () => {
  await billing.stop();
  await stripe.stop();
  await identity.stop();
});

type Payer = Pick<Founder, 'caller'>;

async function setUp({ caller }: Payer, card = 'pm_card_visa') {
  const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, { caller });
  return stripe.confirmSetup(clientSecret, card);
}

const list = async ({ caller }: Payer) =>
  (await billing.paymentMethods.listPaymentMethods({}, { caller })).paymentMethods;
const change = ({ caller }: Payer, seatCount: number) =>
  billing.subscriptions.changeSubscription({ seatCount, subscriptionTier: 'TEAM' }, { caller });
const paymentsOf = (organisationId: string) =>
  [...stripe.intents.values()].filter(
    ({ metadata }) => (metadata as { organisation_id: string }).organisation_id === organisationId,
  );
const customerOf = (organisationId: string) =>
  [...stripe.customers.values()].filter(
    ({ metadata }) => (metadata as { organisation_id: string }).organisation_id === organisationId,
  );

const nobody = { caller: { kind: 'anonymous', service: 'gateway', scopes: [] } as const };
const eventOf = (type: string, object: object, id = `evt_${newId()}`) =>
  JSON.stringify({ id, object: 'event', type, created: Math.floor(Date.now() / 1000), data: { object } });
const signed = (payload: string, more: { secret?: string; timestamp?: number } = {}) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret, ...more });
const report = (payload: string, signature = signed(payload)) =>
  billing.webhooks.receiveStripeWebhook({ payload: Buffer.from(payload), signature }, nobody);

describe('payment methods at Stripe', () => {
  it('are set up with a secret, listed newest first, and the first one is the default', async () => {
    const ada = member(newOrganisation());
    expect(await list(ada)).toEqual([]);
    await setUp(ada);
    await setUp(ada);
    const methods = await list(ada);
    expect(methods).toMatchObject([
      { kind: 'card', brand: 'visa', lastFour: '4242', expiryMonth: 8, expiryYear: 2031 },
      { kind: 'card' },
    ]);
    expect(methods.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    expect(JSON.stringify(methods)).not.toMatch(/pm_|cus_/);
  });

  it('belong to one customer, made from the organisation, however many ask at once', async () => {
    const organisationId = newOrganisation();
    await Promise.all(
      Array.from({ length: 5 }, () => billing.paymentMethods.createSetupIntent({}, member(organisationId))),
    );
    expect(customerOf(organisationId)).toHaveLength(1);
  });

  it('are never shown to, chosen by or taken from another organisation', async () => {
    const [ada, bob] = [member(newOrganisation()), member(newOrganisation())];
    await setUp(ada);
    const paymentMethodId = (await list(ada))[0]?.id ?? '';
    expect(await list(bob)).toEqual([]);
    await setUp(bob);
    const other = [
      billing.paymentMethods.setDefaultPaymentMethod({ paymentMethodId }, bob),
      billing.paymentMethods.detachPaymentMethod({ paymentMethodId }, bob),
      billing.paymentMethods.setDefaultPaymentMethod({ paymentMethodId: newId() }, bob),
    ];
    for (const refusal of await Promise.all(other.map(refusalOf))) {
      expect(refusal).toEqual({
        kind: 'not_found',
        code: 'payment_method_not_found',
        message: 'Payment method not found',
      });
    }
    expect(await list(ada)).toHaveLength(1);
  });

  it('that Stripe refuses to let go are kept here as well, and those it has let go are not', async () => {
    const ada = member(newOrganisation());
    await setUp(ada);
    await setUp(ada);
    const [newer] = await list(ada);
    const detach = () => billing.paymentMethods.detachPaymentMethod({ paymentMethodId: newer?.id ?? '' }, ada);
    const [reference = '', method] = [...stripe.methods].at(-1) ?? [];
    stripe.held.add(reference);
    expect(await refusalOf(detach())).toMatchObject({ kind: 'upstream_failed' });
    expect(await list(ada)).toHaveLength(2);
    stripe.held.delete(reference);
    // An earlier attempt got through, and its answer was lost.
    if (method) method.customer = null;
    expect(await detach()).toEqual({ id: newer?.id, deleted: true });
    expect(await list(ada)).toHaveLength(1);
  });

  it('can be made the default and detached; the newest of the others takes its place', async () => {
    const ada = member(newOrganisation());
    await setUp(ada);
    await list(ada);
    await setUp(ada);
    const [newer, older] = await list(ada);
    const { paymentMethods } = billing;
    const paymentMethodId = newer?.id ?? '';
    expect(await paymentMethods.setDefaultPaymentMethod({ paymentMethodId }, ada)).toMatchObject({ isDefault: true });
    expect(await paymentMethods.detachPaymentMethod({ paymentMethodId }, ada)).toEqual({
      id: paymentMethodId,
      deleted: true,
    });
    expect(await list(ada)).toMatchObject([{ id: older?.id, isDefault: true }]);
    expect(await refusalOf(paymentMethods.detachPaymentMethod({ paymentMethodId }, ada))).toMatchObject({
      kind: 'not_found',
    });
  });

  it('are looked at by an ADMIN and changed by an OWNER; a set-up intent needs an ADMIN of whoever has an account', async () => {
    const organisationId = newOrganisation();
    await setUp(member(organisationId));
    const paymentMethodId = (await list(member(organisationId)))[0]?.id ?? '';
    const { paymentMethods } = billing;
    const [admin, editor] = [member(organisationId, 'ADMIN'), member(organisationId, 'EDITOR')];
    expect(await list(admin)).toHaveLength(1);
    const calls = [
      paymentMethods.setDefaultPaymentMethod({ paymentMethodId }, admin),
      paymentMethods.detachPaymentMethod({ paymentMethodId }, admin),
      paymentMethods.listPaymentMethods({}, editor),
      paymentMethods.createSetupIntent({}, editor),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) {
      expect(refusal).toMatchObject({ kind: 'forbidden' });
    }
  });
});

describe('a set-up intent for somebody without a credential', () => {
  const secretOfNobody = async () => (await billing.paymentMethods.createSetupIntent({}, nobody)).clientSecret;

  it('is no customer’s, so that what is set up can be seen and charged by nobody', async () => {
    const before = stripe.customers.size;
    const [clientSecret, another] = [await secretOfNobody(), await secretOfNobody()];
    expect(clientSecret).toMatch(/_secret_/);
    expect(another).not.toBe(clientSecret);
    const method = stripe.confirmSetup(clientSecret, 'pm_card_visa');
    expect(stripe.customers.size).toBe(before);
    const asked = stripe.requests.findLast(({ path }) => path === '/v1/setup_intents');
    expect(asked?.fields).not.toHaveProperty('customer');
    expect(asked?.fields).not.toHaveProperty('metadata');
    const ada = member(newOrganisation());
    await setUp(ada);
    expect(await list(ada)).toHaveLength(1);
    const kept = await billing.pool.system({}, (trx) => trx('payment_methods').where({ reference: method }));
    expect(kept).toEqual([]);
  });

  it('changes nothing when Stripe reports that it succeeded', async () => {
    const clientSecret = await secretOfNobody();
    const id = clientSecret.slice(0, clientSecret.indexOf('_secret_'));
    const method = stripe.confirmSetup(clientSecret, 'pm_card_visa');
    const before = stripe.requests.length;
    await report(eventOf('setup_intent.succeeded', { id, customer: null, payment_method: method }));
    await report(eventOf('payment_method.attached', { id: method, customer: null }));
    expect(stripe.requests.length).toBe(before);
  });

  it('is made through the gateway alone', async () => {
    const asked = billing.pipelines.paymentMethods.createSetupIntent(
      {},
      { caller: { kind: 'anonymous', service: 'pipelines', scopes: [] } },
    );
    expect(await refusalOf(asked)).toMatchObject({ kind: 'forbidden' });
  });
});

describe('paying at Stripe', () => {
  it('charges the default payment method, with its payer there, in minor units, once', async () => {
    const ada = await identity.found();
    await setUp(ada);
    expect(await change(ada, 5)).toMatchObject({ subscriptionTier: 'TEAM' });
    expect(paymentsOf(ada.organisation.id)).toMatchObject([{ amount: 17_255, currency: 'eur', status: 'succeeded' }]);
    const payment = stripe.requests.findLast(({ path }) => path === '/v1/payment_intents');
    expect(payment).toMatchObject({
      // Whoever asks for a change can confirm it; a renewal on schedule is off session.
      fields: { confirm: 'true', off_session: 'false' },
      key: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it.each([
    ['pm_card_chargeCustomerFail', 'generic_decline'],
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
  ])('is refused with 402 for %s', async (card, code) => {
    const ada = await identity.found();
    await setUp(ada, card);
    expect(await refusalOf(change(ada, 5))).toMatchObject({ kind: 'payment_required', code });
  });

  it.each([
    ['pm_card_chargeCustomerFail', 'generic_decline'],
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
  ])('of credits is refused with 402 for %s, and nothing is granted', async (card, code) => {
    const ada = member(newOrganisation());
    await setUp(ada, card);
    const refusal = await refusalOf(billing.credits.purchaseCredits({ credits: 1000 }, ada));
    expect(refusal).toMatchObject({ kind: 'payment_required', code });
    const { purchases } = await billing.credits.listCreditPurchases({}, ada);
    expect(purchases).toMatchObject([{ status: 'DECLINED', credits: 1000 }]);
    expect((await billing.credits.listCreditGrants({}, ada)).grants).toEqual([]);
  });

  it('is refused with 402 where nothing is set up', async () => {
    expect(await refusalOf(change(await identity.found(), 5))).toMatchObject({ code: 'payment_method_required' });
  });

  it('is refused with 402 where the amount is more than Stripe takes', async () => {
    const ada = await identity.found();
    await setUp(ada);
    const wanted = { seatCount: 10_000, subscriptionTier: 'TEAM', renewalCycle: 'YEARLY' } as const;
    expect(await refusalOf(billing.subscriptions.changeSubscription(wanted, ada))).toMatchObject({
      code: 'amount_not_payable',
    });
  });

  it.each(['before', 'after'] as const)(
    'is completed later when the connection breaks %s Stripe has acted, and paid once',
    async (when) => {
      const ada = await identity.found();
      await setUp(ada);
      await list(ada);
      stripe.breakConnections(when);
      expect(await refusalOf(change(ada, 5))).toMatchObject({ kind: 'accepted', code: 'change_not_paid_yet' });
      expect(await refusalOf(change(ada, 5))).toMatchObject({ code: 'subscription_change_running' });
      expect(await identity.current(ada)).toMatchObject({ hasPlan: false });
      stripe.breakConnections('no');
      await expect(
        eventually(
          () => identity.current(ada),
          ({ hasPlan }) => hasPlan,
        ),
      ).resolves.toMatchObject({ subscriptionTier: 'TEAM' });
      expect(paymentsOf(ada.organisation.id)).toHaveLength(1);
    },
    30_000,
  );
});

async function eventually<Value>(look: () => Promise<Value>, met: (value: Value) => boolean): Promise<Value> {
  const { waitFor } = await import('@platform-backend/testing');
  let value = await look();
  await waitFor(async () => met((value = await look())));
  return value;
}

describe('reports of Stripe', () => {
  const eventsOf = (organisationId: string) =>
    billing.pool.tenant(organisationId, async (trx) => {
      const rows = await trx('outbox').orderBy('sequence').select('type');
      return rows.map(({ type }: { type: string }) => type.replace('platform.v1.billing.', ''));
    });

  it('are believed only with the right signature over this very body, and only while they are young', async () => {
    const payload = eventOf('setup_intent.succeeded', { id: 'seti_1', customer: 'cus_1' });
    const old = Math.floor(Date.now() / 1000) - 301;
    for (const [body, signature] of [
      [payload, signed(payload, { secret: 'whsec_other' })],
      [payload, signed(payload, { timestamp: old })],
      [payload.replace('seti_1', 'seti_2'), signed(payload)],
      [payload, ''],
      ['', ''],
    ] as const) {
      expect(await refusalOf(report(body, signature))).toMatchObject({
        kind: 'malformed',
        code: signature === '' ? 'missing_signature' : 'invalid_signature',
      });
    }
    expect(await report(payload)).toEqual({ received: true });
  });

  it('have one effect when each comes five times in shuffled order', async () => {
    const organisationId = newOrganisation();
    const ada = member(organisationId);
    const method = await setUp(ada);
    const [customer] = customerOf(organisationId).map(({ id }) => id as string);
    const reports = [
      eventOf('setup_intent.succeeded', { id: 'seti_1', customer }),
      eventOf('payment_method.attached', { id: method, customer }),
    ].flatMap((payload) => Array.from({ length: 5 }, () => payload));
    const shuffled = reports.map((payload, index) => ({ payload, at: (index * 7) % 10 })).sort((a, b) => a.at - b.at);
    await Promise.all(shuffled.map(({ payload }) => report(payload)));
    for (const { payload } of shuffled) await report(payload);
    expect(await eventsOf(organisationId)).toEqual([
      ...['payment_method.setup_started', 'audit.recorded'],
      ...['payment_method.attached', 'audit.recorded'],
    ]);
    expect(await list(ada)).toHaveLength(1);
    const stored = await billing.pool.tenant(organisationId, (trx) => trx('provider_events').select('id'));
    expect(stored).toHaveLength(2);
  });

  it('bring the credits of a purchase that the buyer confirmed once, each five times in shuffled order', async () => {
    const organisationId = newOrganisation();
    const ada = member(organisationId);
    await setUp(ada, 'pm_card_authenticationRequired');
    const purchase = await billing.credits.purchaseCredits({ credits: 1000 }, ada);
    expect(purchase).toMatchObject({ status: 'REQUIRES_ACTION', clientSecret: expect.stringContaining('_secret_') });
    const current = () => billing.credits.getCreditPurchase({ purchaseId: purchase.id }, ada);
    expect(await current()).toEqual(purchase);
    const [payment] = paymentsOf(organisationId).map(({ id }) => id as string);
    const [customer] = customerOf(organisationId).map(({ id }) => id as string);
    const balance = async () => (await billing.credits.getCreditBalance({}, ada)).availableMicros;
    const of = (type: string) => eventOf(type, { id: payment, customer });
    await report(of('payment_intent.payment_failed'));
    expect([await balance(), (await current()).status]).toEqual(['0', 'REQUIRES_ACTION']);
    const reports = ['requires_action', 'payment_failed', 'succeeded'].flatMap((what) =>
      Array.from({ length: 5 }, () => of(`payment_intent.${what}`)),
    );
    const shuffled = reports.map((payload, index) => ({ payload, at: (index * 7) % 15 })).sort((a, b) => a.at - b.at);
    await Promise.all(shuffled.map(({ payload }) => report(payload)));
    for (const { payload } of shuffled) await report(payload);
    // What comes too late changes nothing either.
    await report(of('payment_intent.canceled'));
    expect(await balance()).toBe('1000000000');
    expect(await current()).toEqual({ ...purchase, status: 'SUCCEEDED', clientSecret: null });
    expect((await billing.invoices.listInvoices({}, ada)).invoices).toHaveLength(1);
  });

  it('bring a change of a subscription about that its payer confirmed', async () => {
    const ada = await identity.found();
    await setUp(ada, 'pm_card_authenticationRequired');
    expect(await refusalOf(change(ada, 5))).toMatchObject({ kind: 'accepted', code: 'change_not_paid_yet' });
    const { id: organisationId } = ada.organisation;
    const changeId = await billing.pool.tenant(organisationId, async (trx) => {
      const row = await trx<{ id: string }>('subscription_changes').first('id');
      return row?.id ?? '';
    });
    const current = () => billing.subscriptions.getSubscriptionChange({ changeId }, { caller: ada.caller });
    expect(await current()).toMatchObject({
      state: 'REQUIRES_ACTION',
      clientSecret: expect.stringContaining('_secret_'),
    });
    const [payment] = paymentsOf(organisationId).map(({ id }) => id as string);
    const [customer] = customerOf(organisationId).map(({ id }) => id as string);
    await report(eventOf('payment_intent.succeeded', { id: payment, customer }));
    expect(await current()).toMatchObject({ state: 'SUCCEEDED', clientSecret: null });
    expect((await billing.invoices.listInvoices({}, { caller: ada.caller })).invoices).toMatchObject([
      { status: 'PAID', totalMinor: '17255' },
    ]);
  });

  it('end a purchase that was never confirmed, and nothing is granted', async () => {
    const organisationId = newOrganisation();
    const ada = member(organisationId);
    await setUp(ada, 'pm_card_authenticationRequired');
    const { id: purchaseId } = await billing.credits.purchaseCredits({ credits: 1000 }, ada);
    const [payment] = paymentsOf(organisationId).map(({ id }) => id as string);
    const [customer] = customerOf(organisationId).map(({ id }) => id as string);
    await report(eventOf('payment_intent.canceled', { id: payment, customer }));
    const purchase = await billing.credits.getCreditPurchase({ purchaseId }, ada);
    expect(purchase).toMatchObject({ status: 'DECLINED', clientSecret: null });
    expect(await billing.credits.getCreditBalance({}, ada)).toMatchObject({ availableMicros: '0' });
  });

  it('about nobody we know change nothing and are no error, so that Stripe does not repeat them', async () => {
    const payload = eventOf('payment_intent.succeeded', { id: 'pi_1', customer: 'cus_elsewhere' });
    expect(await report(payload)).toEqual({ received: true });
  });
});

describe('money that is given back', () => {
  const bought = async () => {
    const ada = await identity.found();
    await setUp(ada);
    await list(ada);
    await billing.credits.purchaseCredits({ credits: 700 }, ada);
    const { invoices } = await billing.invoices.listInvoices({}, ada);
    const intent = String(paymentsOf(ada.organisation.id)[0]?.['id']);
    const amount = Number(paymentsOf(ada.organisation.id)[0]?.['amount']);
    return { ada, invoiceId: invoices[0]?.id ?? '', intent, amount };
  };
  const available = async (ada: Founder) => (await billing.credits.getCreditBalance({}, ada)).availableMicros;

  it('is on its way until Stripe reports that it has arrived, and its credits are taken meanwhile', async () => {
    const { ada, invoiceId, amount } = await bought();
    const half = String(Math.floor(amount / 2));
    stripe.answerRefunds('pending');
    const begun = await billing.refunds.createRefund({ invoiceId, amountMinor: half }, ada);
    stripe.answerRefunds('succeeded');
    expect(begun).toMatchObject({ status: 'PENDING', creditNoteId: null, amountMinor: half });
    const left = BigInt(micros(700)) - BigInt(begun.creditsMicros);
    expect(await available(ada)).toBe(String(left));
    const there = stripe.refunds.at(-1);
    Object.assign(there ?? {}, { status: 'succeeded' });
    for (let time = 0; time < 2; time += 1) await report(eventOf('refund.updated', there ?? {}));
    const ended = await billing.refunds.getRefund({ refundId: begun.id }, ada);
    expect(ended).toMatchObject({ status: 'SUCCEEDED' });
    const creditNoteId = ended.creditNoteId ?? '';
    const note = await billing.refunds.getCreditNote({ creditNoteId }, ada);
    expect(note).toMatchObject({
      invoiceId,
      totalMinor: half,
      number: expect.stringMatching(/^CN-\d{4}-\d{6}$/),
    });
    const { content } = await billing.refunds.getCreditNotePdf({ creditNoteId }, ada);
    const text = (await pdfPages(content)).join('\n');
    for (const part of ['Credit note', note.number, `For invoice ${note.invoiceNumber}`]) expect(text).toContain(part);
    expect(text).not.toContain('Left to pay');
  });

  it('has its credits again when Stripe can not give it back', async () => {
    const { ada, invoiceId } = await bought();
    stripe.answerRefunds('pending');
    const begun = await billing.refunds.createRefund({ invoiceId }, ada);
    stripe.answerRefunds('succeeded');
    expect(await available(ada)).toBe('0');
    const there = Object.assign(stripe.refunds.at(-1) ?? {}, {
      status: 'failed',
      failure_reason: 'expired_or_canceled_card',
    });
    await report(eventOf('refund.failed', there));
    expect(await billing.refunds.getRefund({ refundId: begun.id }, ada)).toMatchObject({
      status: 'FAILED',
      code: 'expired_or_canceled_card',
    });
    expect(await available(ada)).toBe(micros(700));
    expect((await billing.invoices.getInvoice({ invoiceId }, ada)).refundedMinor).toBe('0');
  });

  it('is what is not spent, and nothing of what others have bought', async () => {
    const { ada, invoiceId, amount } = await bought();
    await billing.book(ada.organisation.id, 630);
    const refusal = await refusalOf(billing.refunds.createRefund({ invoiceId, amountMinor: String(amount) }, ada));
    expect(refusal).toMatchObject({ kind: 'conflict', code: 'refund_too_large' });
    const refund = await billing.refunds.createRefund({ invoiceId }, ada);
    expect(refund).toMatchObject({ status: 'SUCCEEDED', amountMinor: String(Math.floor(amount / 10)) });
    // Less than a cent is left.
    expect(Number(refund.creditsMicros)).toBeGreaterThan(Number(micros(69)));
    expect(Number(refund.creditsMicros)).toBeLessThanOrEqual(Number(micros(70)));
    expect(await refusalOf(billing.refunds.createRefund({ invoiceId }, ada))).toMatchObject({
      code: 'nothing_to_refund',
    });
    const eve = await identity.found();
    expect(await refusalOf(billing.refunds.createRefund({ invoiceId }, eve))).toMatchObject({ kind: 'not_found' });
  });

  it('is what changes of a subscription have left over, unless that is kept as balance', async () => {
    const ada = await identity.found();
    await setUp(ada);
    await list(ada);
    const yearly = { seatCount: 10, subscriptionTier: 'TEAM', renewalCycle: 'YEARLY' } as const;
    await billing.subscriptions.changeSubscription(yearly, ada);
    await billing.subscriptions.changeSubscription({ ...yearly, seatCount: 1, renewalCycle: 'MONTHLY' }, ada);
    const { credit } = await billing.subscriptions.getSubscription({}, ada);
    expect(credit).toBeGreaterThan(29);
    const { invoices } = await billing.invoices.listInvoices({}, ada);
    const invoiceId = invoices.at(-1)?.id ?? '';
    const refund = await billing.refunds.createRefund({ invoiceId }, ada);
    expect(refund).toMatchObject({ status: 'SUCCEEDED', balanceMinor: String(Math.round(credit * 100)) });
    expect(Number(refund.amountMinor) - Number(refund.taxMinor)).toBe(Math.round(credit * 100));
    expect((await billing.subscriptions.getSubscription({}, ada)).credit).toBe(0);
    expect(await refusalOf(billing.refunds.createRefund({ invoiceId }, ada))).toMatchObject({
      code: 'nothing_to_refund',
    });
  });

  it('is disputed at the bank: balance and invoice show it, until it is won', async () => {
    const { ada, invoiceId, intent, amount } = await bought();
    await billing.book(ada.organisation.id, 10);
    const dispute = {
      ...{ id: `dp_${newId()}`, object: 'dispute', payment_intent: intent, amount, currency: 'eur' },
      ...{ reason: 'fraudulent', status: 'needs_response' },
    };
    for (let time = 0; time < 2; time += 1) await report(eventOf('charge.dispute.created', dispute));
    expect(await available(ada)).toBe(micros(-10));
    const invoice = () => billing.invoices.getInvoice({ invoiceId }, ada);
    expect(await invoice()).toMatchObject({ disputedMinor: String(amount) });
    expect(await refusalOf(billing.refunds.createRefund({ invoiceId }, ada))).toMatchObject({
      code: 'nothing_to_refund',
    });
    await report(eventOf('charge.dispute.closed', { ...dispute, status: 'won' }));
    await report(eventOf('charge.dispute.updated', { ...dispute, status: 'under_review' }));
    expect(await available(ada)).toBe(micros(690));
    expect(await invoice()).toMatchObject({ disputedMinor: '0' });
    const { disputes } = await billing.refunds.listDisputes({}, ada);
    expect(disputes).toMatchObject([{ status: 'WON', invoiceId, amountMinor: String(amount), reason: 'fraudulent' }]);
  });

  it('is not taken by a bank that only inquires, until it does', async () => {
    const { ada, intent, amount } = await bought();
    const inquiry = {
      ...{ id: `dp_${newId()}`, object: 'dispute', payment_intent: intent, amount, currency: 'eur', reason: 'general' },
      status: 'warning_needs_response',
    };
    await report(eventOf('charge.dispute.created', inquiry));
    await report(eventOf('charge.dispute.updated', { ...inquiry, status: 'warning_under_review' }));
    expect(await available(ada)).toBe(micros(700));
    expect((await billing.refunds.listDisputes({}, ada)).disputes).toEqual([]);
    await report(eventOf('charge.dispute.updated', { ...inquiry, status: 'needs_response' }));
    expect(await available(ada)).toBe('0');
    expect((await billing.refunds.listDisputes({}, ada)).disputes).toMatchObject([{ status: 'OPEN' }]);
  });

  it('is disputed though nothing was given for it, and what another payment has bought stays', async () => {
    const { ada, invoiceId } = await bought();
    const surplus = `pi_${newId()}`;
    await billing.pool.tenant(ada.organisation.id, (trx) =>
      trx.raw(
        `INSERT INTO payments SELECT (jsonb_populate_record(known, jsonb_build_object('id', gen_random_uuid(), 'attempt', 2,
           'reference', CAST(? AS text), 'idempotency_key', gen_random_uuid()))).* FROM payments AS known`,
        [surplus],
      ),
    );
    const dispute = {
      ...{ id: `dp_${newId()}`, object: 'dispute', payment_intent: surplus, amount: 833, currency: 'eur' },
      ...{ reason: 'duplicate', status: 'needs_response', metadata: {} },
    };
    await report(eventOf('charge.dispute.created', dispute));
    expect((await billing.refunds.listDisputes({}, ada)).disputes).toMatchObject([{ status: 'OPEN', invoiceId: null }]);
    expect(await available(ada)).toBe(micros(700));
    expect(await billing.invoices.getInvoice({ invoiceId }, ada)).toMatchObject({ disputedMinor: '0' });
  });

  it('is disputed before we have heard that it was paid', async () => {
    const ada = await identity.found();
    await setUp(ada);
    await list(ada);
    stripe.loseAnswers('after');
    await billing.credits.purchaseCredits({ credits: 700 }, ada).catch(() => undefined);
    stripe.loseAnswers('no');
    const { id, amount } = paymentsOf(ada.organisation.id)[0] ?? {};
    const dispute = {
      ...{ id: `dp_${newId()}`, object: 'dispute', payment_intent: id, amount, currency: 'eur', reason: 'general' },
      ...{ status: 'needs_response', metadata: { payment_id: '' } },
    };
    await report(eventOf('charge.dispute.created', dispute));
    expect((await billing.credits.listCreditPurchases({}, ada)).purchases).toMatchObject([{ status: 'SUCCEEDED' }]);
    expect(await available(ada)).toBe('0');
  });

  it('comes back after all, as banks send it days later: the refund has failed, and its credit note is void', async () => {
    const { ada, invoiceId } = await bought();
    const made = await billing.refunds.createRefund({ invoiceId }, ada);
    expect(made).toMatchObject({ status: 'SUCCEEDED' });
    const there = Object.assign(stripe.refunds.at(-1) ?? {}, {
      ...{ status: 'failed', failure_reason: 'lost_or_stolen_card' },
    });
    for (let time = 0; time < 2; time += 1) await report(eventOf('refund.failed', there));
    const failed = await billing.refunds.getRefund({ refundId: made.id }, ada);
    expect(failed).toMatchObject({ status: 'FAILED', code: 'lost_or_stolen_card', creditNoteId: made.creditNoteId });
    const note = await billing.refunds.getCreditNote({ creditNoteId: made.creditNoteId ?? '' }, ada);
    expect(note.voidedAt).not.toBeNull();
    const exported: string[] = [];
    for await (const { chunk } of billing.exports.exportCreditNotes({ format: 'jsonl' }, ada))
      exported.push(Buffer.from(chunk).toString());
    expect(JSON.parse(exported.join(''))).toMatchObject({
      number: note.number,
      voided_at: note.voidedAt?.toISOString(),
    });
    expect(await available(ada)).toBe(micros(700));
    expect((await billing.invoices.getInvoice({ invoiceId }, ada)).refundedMinor).toBe('0');
  });

  it('is all that was paid for a change that had been given up by then', async () => {
    const ada = await identity.found();
    await setUp(ada, 'pm_card_authenticationRequired');
    await list(ada);
    const begun = await change(ada, 3).catch((error: unknown) =>
      error instanceof DomainError ? error.pending : undefined,
    );
    const changeId = (begun as { id: string } | undefined)?.id ?? '';
    await billing.subscriptions.cancelSubscriptionChange({ changeId }, ada);
    const intent = paymentsOf(ada.organisation.id)[0] ?? {};
    Object.assign(intent, { status: 'succeeded' });
    for (let time = 0; time < 2; time += 1) await report(eventOf('payment_intent.succeeded', intent));
    const { refunds } = await waitFor(
      async () => {
        const found = await billing.refunds.listRefunds({}, ada);
        return found.refunds[0]?.status === 'SUCCEEDED' ? found : undefined;
      },
      { what: 'the refund' },
    );
    expect(refunds).toMatchObject([
      { invoiceId: null, reason: 'DUPLICATE', amountMinor: String(intent['amount']), creditNoteId: null },
    ]);
    expect(stripe.refunds.filter(({ payment_intent: of }) => of === intent['id'])).toHaveLength(1);
    expect(await billing.subscriptions.getSubscription({}, ada)).toMatchObject({ status: 'FREE' });
    expect((await billing.invoices.listInvoices({}, ada)).invoices).toEqual([]);
  });
});
