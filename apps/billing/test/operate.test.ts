import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WrongUsage } from '@platform-backend/command-line';
import { fixedClock, newId } from '@platform-backend/core';
import { refusalOf } from '@platform-backend/service/testing';
import { billingAreas } from '../src/areas.ts';
import { couponsStore } from '../src/coupons/store/coupons-store.ts';
import { creditAccountsStore } from '../src/credits/store/credit-accounts-store.ts';
import { taxExemptionsStore } from '../src/invoices/store/tax-exemptions-store.ts';
import { operatorCommands } from '../src/operate.ts';
import { lookAfterPayments } from '../src/payments/app/collect-payment.ts';
import { reconcilePayments } from '../src/payments/app/reconcile-payments.ts';
import { paymentsStore } from '../src/payments/store/payments-store.ts';
import { noEvidence, taxOfSale } from '../src/prices/domain/sale-tax.ts';
import { lookAfterRefunds } from '../src/refunds/app/execute-refund.ts';
import { refundsStore } from '../src/refunds/store/refunds-store.ts';
import { workOnSchedule } from '../src/subscriptions/app/work-on-schedule.ts';
import { openChangesStore } from '../src/subscriptions/store/open-changes-store.ts';
import { trialsStore } from '../src/subscriptions/store/trials-store.ts';
import { startRealIdentity, type Founder, type RealIdentity } from './real-identity.ts';
import { startStripeDouble, type StripeDouble } from './stripe-double.ts';
import { micros, startTestBilling, type TestBilling } from './test-billing.ts';

const clock = fixedClock(new Date());
let identity: RealIdentity;
let stripe: StripeDouble;
let billing: TestBilling;
let areas: Awaited<ReturnType<typeof billingAreas>>;

beforeAll(async () => {
  identity = await startRealIdentity();
  stripe = await startStripeDouble(() => clock.now().getTime());
  billing = await startTestBilling({
    clock,
    environment: {
      IDENTITY_ADDRESS: identity.process.address,
      BILLING_PAYMENT_PROCESSOR: 'stripe',
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_API_URL: stripe.url,
      // Its own schedule never runs here: each test is the schedule.
      BILLING_SCHEDULE_SECONDS: '3600',
    },
  });
  areas = await billingAreas(billing.frame);
});
afterAll(async () => {
  await billing.stop();
  await stripe.stop();
  await identity.stop();
});

/** What `npm run billing -- …` answers, line by line. */
async function operate(line: string): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const [word = '', ...args] = line.split(' ');
  const parts = {
    payments: paymentsStore(billing.pool),
    changes: openChangesStore(billing.pool),
    refunds: refundsStore(billing.pool),
    coupons: couponsStore(billing.pool),
    credits: creditAccountsStore(billing.pool, () => undefined),
    taxExemptions: taxExemptionsStore(billing.pool),
    trials: trialsStore(billing.pool),
    timeOf: () => Promise.resolve(clock.now()),
    termsAt: (at: Date) => ({
      prices: areas.subscriptions.exports.ports.seatPrices,
      taxed: taxOfSale(areas.prices.exports.priceBook, noEvidence, at),
    }),
    reconcile: (days: number) => reconcilePayments(areas.payments.exports.ports, days),
    clock,
    write: (answer: object) => lines.push(JSON.parse(JSON.stringify(answer)) as Record<string, unknown>),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  await operatorCommands(() => Promise.resolve(parts))[word]?.run(args);
  return lines;
}

async function onSchedule(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await lookAfterPayments(areas.payments.exports.ports);
    await workOnSchedule(areas.subscriptions.exports.ports, billing.logger);
  }
}

async function useCard(founder: Founder, card: string): Promise<void> {
  const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, founder);
  const reference = stripe.confirmSetup(clientSecret, card);
  const { paymentMethods } = await billing.paymentMethods.listPaymentMethods({}, founder);
  expect(reference).toMatch(/^pm_/);
  await billing.paymentMethods.setDefaultPaymentMethod({ paymentMethodId: paymentMethods[0]?.id ?? '' }, founder);
}

async function payingWith(card: string): Promise<Founder> {
  const founder = await identity.found();
  await useCard(founder, card);
  return founder;
}

const buy = (founder: Founder) => billing.credits.purchaseCredits({ credits: 70 }, founder);
const change = (founder: Founder) =>
  billing.subscriptions.changeSubscription({ seatCount: 6, subscriptionTier: 'TEAM' }, founder);
const purchases = async (founder: Founder) =>
  (await billing.credits.listCreditPurchases({}, founder)).purchases.map(({ status }) => status);
const list = (founder: Founder, more = '') => operate(`payments list --organisation ${founder.organisation.id}${more}`);

describe('the operator of payments', () => {
  it('sees them by state and organisation, without any secret', async () => {
    const ada = await payingWith('pm_card_authenticationRequired');
    await buy(ada);
    const [payment, ...others] = await list(ada, ' --state requires_action');
    expect(others).toEqual([]);
    expect(payment).toMatchObject({ state: 'REQUIRES_ACTION', purpose: 'CREDIT_PURCHASE', amountMinor: '83' });
    expect(JSON.stringify(payment)).not.toMatch(/_secret_|pm_/);
    expect(await list(ada, ' --state SUCCEEDED')).toEqual([]);
  });

  it('cancels one at the processor, and its purchase ends', async () => {
    const ada = await payingWith('pm_card_authenticationRequired');
    await buy(ada);
    const [payment] = await list(ada);
    await operate(`payments cancel ${String(payment?.['id'])}`);
    await onSchedule();
    expect(await purchases(ada)).toEqual(['DECLINED']);
    expect(await list(ada)).toMatchObject([{ state: 'CANCELLED', nextLookAt: null }]);
    expect(stripe.intents.get(String(payment?.['reference']))).toMatchObject({ status: 'canceled' });
    await expect(operate(`payments cancel ${String(payment?.['id'])}`)).rejects.toThrow('It is over: it is CANCELLED.');
  });

  it('has a purchase that was declined tried once more, with another key and the card of now', async () => {
    const ada = await payingWith('pm_card_chargeCustomerFail');
    expect(await refusalOf(buy(ada))).toMatchObject({ kind: 'payment_required' });
    const [declined] = await list(ada);
    await expect(operate(`payments retry ${String(declined?.['id'])}`)).rejects.toThrow('try again in a minute');
    await onSchedule();
    await useCard(ada, 'pm_card_visa');
    expect(await operate(`payments retry ${String(declined?.['id'])}`)).toMatchObject([
      { attempt: 2, state: 'PENDING' },
    ]);
    await onSchedule();
    expect(await purchases(ada)).toEqual(['SUCCEEDED']);
    await expect(operate(`payments retry ${String(declined?.['id'])}`)).rejects.toThrow('There was a later attempt');
    expect((await billing.invoices.listInvoices({}, ada)).invoices).toHaveLength(1);
  });

  it('sees what does not agree with the processor', async () => {
    const ada = await payingWith('pm_card_visa');
    await buy(ada);
    await onSchedule();
    clock.advance(11 * 60_000);
    expect(await operate('payments reconcile --days 1')).toEqual([]);
    const [intent] = [...stripe.intents.values()].slice(-1);
    Object.assign(intent ?? {}, { amount: 84 });
    expect(await operate('payments reconcile')).toMatchObject([
      { kind: 'amount_differs', organisationId: ada.organisation.id, amountMinor: '84', reference: intent?.['id'] },
    ]);
    Object.assign(intent ?? {}, { amount: 83 });
  });

  it('is told in a sentence what is wrong', async () => {
    for (const [line, sentence] of [
      ['payments', 'Say what to do: list, retry, cancel, reconcile.'],
      ['payments pay', 'There is no "pay": list, retry, cancel, reconcile.'],
      ['payments list --state PAID', 'There is no state "PAID": PENDING, PROCESSING'],
      ['payments list --limit many', '--limit is a number from 1 to 99999, and not "many".'],
      ['payments cancel', 'Say which one, by its id.'],
      [`payments cancel ${newId()}`, 'There is no payment'],
      ['payments list --newest', "Unknown option '--newest'"],
      [`changes abandon ${newId()}`, 'that is not over'],
    ] as const) {
      await expect(operate(line)).rejects.toThrow(sentence);
    }
  });
});

describe('the operator of refunds', () => {
  it('gives back what is used, once, and billing carries it out', async () => {
    const ada = await payingWith('pm_card_visa');
    await buy(ada);
    await billing.book(ada.organisation.id, 70);
    const [invoice] = (await billing.invoices.listInvoices({}, ada)).invoices;
    const asked = `refunds create --organisation ${ada.organisation.id} --invoice ${invoice?.id ?? ''} --memo outage`;
    expect(await operate(asked)).toMatchObject([{ state: 'PENDING', amountMinor: '83', reason: 'GOODWILL' }]);
    await expect(operate(asked)).rejects.toThrow('Nothing of this invoice can be given back');
    await lookAfterRefunds(areas.refunds.exports.ports);
    expect(await operate(`refunds list --organisation ${ada.organisation.id}`)).toMatchObject([
      { state: 'SUCCEEDED', creditsMicros: '0' },
    ]);
    expect(stripe.refunds.filter(({ payment_intent: of }) => of === [...stripe.intents.keys()].at(-1))).toHaveLength(1);
    for (const [line, sentence] of [
      ['refunds create', '--organisation is missing.'],
      ['refunds give --organisation o', 'There is no "give": create, list.'],
      ['refunds create --organisation o', '--memo is missing.'],
      [`${asked} --amount 1.5`, '--amount is a number of minor units'],
    ] as const) {
      await expect(operate(line)).rejects.toThrow(sentence);
    }
  });
});

describe('the operator of credits', () => {
  const available = async (founder: Founder) => (await billing.credits.getCreditBalance({}, founder)).availableMicros;

  it('gives and takes away with a reason, once for a key, and the ledger and the audit log say why', async () => {
    const ada = await identity.found();
    const of = `--organisation ${ada.organisation.id}`;
    const expires = new Date(clock.now().getTime() + 86_400_000).toISOString();
    const grant = `credits grant ${of} --credits 50 --reason launch --expires ${expires} --key launch`;
    expect(await operate(grant)).toMatchObject([{ kind: 'PROMOTIONAL', priority: 20, isNew: true }]);
    expect(await operate(grant)).toMatchObject([{ amount: '50000000', isNew: false }]);
    await operate(`credits adjust ${of} --credits 10 --reason late`);
    const take = `credits adjust ${of} --credits=-25 --reason twice --key oops`;
    for (let time = 0; time < 2; time += 1) {
      expect(await operate(take)).toMatchObject([{ availableMicros: micros(35) }]);
    }
    await expect(operate(`credits adjust ${of} --credits=-36 --reason more`)).rejects.toThrow('no more than 35000000');
    const { transactions } = await billing.credits.listCreditTransactions({}, ada);
    expect(transactions.map(({ kind, purpose }) => `${kind} ${purpose}`).toSorted()).toEqual([
      'ADJUST twice',
      'GRANT late',
      'GRANT launch',
    ]);
    const audited = await billing.pool.tenant(ada.organisation.id, async (trx) => {
      const rows = await trx('outbox').where('type', 'like', '%audit.recorded').select<object[]>();
      return rows.map((row) => JSON.stringify(row));
    });
    for (const reason of ['launch', 'late', 'twice']) {
      expect(audited.filter((text) => text.includes(reason))).toHaveLength(1);
    }
    // What was given until tomorrow goes first: 25 of it are taken away, the rest expires.
    clock.advance(2 * 86_400_000);
    expect(await available(ada)).toBe(micros(10));
    clock.advance(-2 * 86_400_000);
  });

  it('is told in a sentence what is wrong', async () => {
    const of = '--organisation o --reason r';
    for (const [line, sentence] of [
      ['credits', 'Say what to do: grant, adjust.'],
      ['credits grant --credits 5', '--organisation is missing.'],
      [`credits grant ${of} --credits=-5`, '--credits is a whole number'],
      [`credits grant ${of} --credits 5 --expires yesterday`, '--expires is a time to come'],
      [`credits grant ${of} --credits 5 --priority high`, '--priority is a number from 0 to 999'],
    ] as const) {
      await expect(operate(line)).rejects.toThrow(sentence);
    }
  });
});

describe('the operator of changes', () => {
  it('abandons one that waits for its payment, unless it turns out to be paid', async () => {
    const ada = await payingWith('pm_card_visa');
    stripe.breakConnections('before');
    await refusalOf(change(ada));
    stripe.breakConnections('no');
    const [open] = (await operate('changes list')).filter(
      ({ organisationId }) => organisationId === ada.organisation.id,
    );
    expect(open).toMatchObject({ kind: 'started', state: 'charging', totalMinor: '20706' });
    await operate(`changes abandon ${String(open?.['id'])}`);
    await onSchedule();
    expect(await operate('changes list')).toEqual([]);
    expect(await identity.current(ada)).toMatchObject({ hasPlan: false });
    await change(ada);
    expect(await identity.current(ada)).toMatchObject({ hasPlan: true });

    const bob = await payingWith('pm_card_visa');
    stripe.breakConnections('after');
    await refusalOf(change(bob));
    stripe.breakConnections('no');
    const [paid] = await operate('changes list');
    await operate(`changes abandon ${String(paid?.['id'])}`);
    await onSchedule();
    expect(await identity.current(bob)).toMatchObject({ hasPlan: true });
  });
});

describe('trials', () => {
  const later = (days: number) => new Date(clock.now().getTime() + days * 86_400_000);
  const subscriptionOf = (by: Founder) => billing.subscriptions.getSubscription({}, by);
  const trying = { seatCount: 3, subscriptionTier: 'TEAM', trial: true } as const;
  const until = async (days: number) => {
    clock.advance(days * 86_400_000);
    await onSchedule();
    await onSchedule();
  };

  it('end without a card, and nothing is owed; where it was said so with an open invoice', async () => {
    const [ada, bob] = [await identity.found(), await identity.found()];
    await billing.subscriptions.changeSubscription(trying, ada);
    await billing.subscriptions.changeSubscription({ ...trying, trialMissingPaymentMethod: 'CREATE_INVOICE' }, bob);
    expect(await subscriptionOf(ada)).toMatchObject({ status: 'TRIALING', trialEndsAt: later(14) });
    await until(15);
    expect([(await subscriptionOf(ada)).status, (await subscriptionOf(bob)).status]).toEqual(['ENDED', 'PAST_DUE']);
    expect(await identity.current(ada)).toMatchObject({ hasPlan: false });
    expect((await billing.invoices.listInvoices({}, ada)).invoices).toEqual([]);
    const { invoices } = await billing.invoices.listInvoices({}, bob);
    expect(invoices).toMatchObject([{ status: 'OPEN', subtotalMinor: '8700' }]);
    await useCard(bob, 'pm_card_visa');
    await billing.invoices.payInvoice({ invoiceId: invoices[0]?.id ?? '' }, bob);
    expect(await subscriptionOf(bob)).toMatchObject({ status: 'ACTIVE', trialEndsAt: expect.any(Date) });
  });

  it('are given and extended by operators, also where there was one, and listed', async () => {
    const ada = await identity.found();
    await useCard(ada, 'pm_card_visa');
    const of = `--organisation ${ada.organisation.id}`;
    await expect(operate(`trials extend ${of} --until ${later(40).toISOString()}`)).rejects.toMatchObject({
      code: 'no_trial_runs',
    });
    await operate(`trials give ${of} --tier TEAM --seats 3 --days 30`);
    await onSchedule();
    expect(await subscriptionOf(ada)).toMatchObject({ status: 'TRIALING', seatCount: 3, trialEndsAt: later(30) });
    expect(await identity.current(ada)).toMatchObject({ hasPlan: true, maxMemberLimit: 3, seatsExpiredAt: later(30) });
    const end = later(40);
    await operate(`trials extend ${of} --until ${end.toISOString()}`);
    await onSchedule();
    expect(await subscriptionOf(ada)).toMatchObject({ trialEndsAt: end, currentPeriodEnd: end });
    expect(await identity.current(ada)).toMatchObject({ seatsExpiredAt: end });
    const listed = (await operate('trials list')).find((one) => one['organisationId'] === ada.organisation.id);
    expect(listed).toMatchObject({ tier: 'TEAM', seatCount: 3, endsAt: end.toISOString() });
    await expect(operate(`trials give ${of} --tier TEAM --seats 3 --days 30`)).rejects.toMatchObject({
      code: 'trial_while_subscribed',
    });
    await expect(operate(`trials extend ${of} --until ${later(1).toISOString()}`)).rejects.toMatchObject({
      code: 'trial_ends_earlier',
    });
    await until(41);
    expect((await billing.invoices.listInvoices({}, ada)).invoices).toMatchObject([{ subtotalMinor: '8700' }]);
    expect(await operate('trials list')).not.toContainEqual(
      expect.objectContaining({ organisationId: ada.organisation.id }),
    );
  });

  it.each([
    ['trials give --tier TEAM --seats 3 --days 30', '--organisation is missing'],
    ['trials give --organisation o --tier GOLD --seats 3 --days 30', '--tier is TEAM or BASIC'],
    ['trials give --organisation o --tier TEAM --seats 10001 --days 30', '--seats is at most 10000'],
    ['trials give --organisation o --tier TEAM --seats 3 --days 731', '--days is at most 730'],
    ['trials extend --organisation o --until yesterday', '--until is a time to come'],
  ])('refuse %s', async (line, sentence) => {
    await expect(operate(line)).rejects.toThrow(sentence);
  });
});

describe('the operator of tax', () => {
  it('exempts an organisation for a time, with a reason that stands on its invoices, and takes it back', async () => {
    const ada = await payingWith('pm_card_visa');
    const of = `--organisation ${ada.organisation.id}`;
    const until = '2099-12-31';
    expect(await operate(`tax exempt ${of} --reason Charity --until ${until}`)).toMatchObject([
      { exemption: { reason: 'Charity', validUntil: '2099-12-31T23:59:59.999Z' } },
    ]);
    expect(await buy(ada)).toMatchObject({ tax: 0, total: 0.7 });
    expect((await billing.invoices.listInvoices({}, ada)).invoices).toMatchObject([
      { taxTreatment: 'EXEMPT', taxNote: 'Exempt from tax: Charity' },
    ]);
    clock.advance(1000);
    await operate(`tax taxable ${of}`);
    expect(await operate(`tax show ${of}`)).toEqual([{ organisationId: ada.organisation.id, exemption: null }]);
    expect(await buy(ada)).toMatchObject({ tax: 0.13, total: 0.83 });
    await expect(operate(`tax taxable ${of}`)).rejects.toThrow('is not exempt from tax');
    await expect(operate(`tax exempt ${of}`)).rejects.toThrow('--reason is missing.');
    await expect(operate(`tax exempt ${of} --reason x --until soon`)).rejects.toThrow('--until is a day to come');
  });
});

describe('coupons', () => {
  const subscriptionInvoices = async (founder: Founder) =>
    (await billing.invoices.listInvoices({}, founder)).invoices.map(({ lines, subtotalMinor }) => [
      subtotalMinor,
      ...lines.map(({ description, amountMinor }) => `${description.replace(/, from.*/, '')} ${amountMinor}`),
    ]);

  it('are offered by operators, redeemed once by an organisation, and taken off one cycle', async () => {
    const created = await operate('coupons create welcome-20 --percent 20 --max-redemptions 2');
    expect(created).toMatchObject([{ code: 'WELCOME-20', percentOff: 20, duration: 'ONCE', redemptions: 0 }]);
    await expect(operate('coupons create Welcome-20 --percent 10')).rejects.toThrow('already');
    const founder = await identity.found();
    await useCard(founder, 'pm_card_visa');
    const code = { code: 'Welcome-20' };
    const redeem = (by: Founder, wanted = code) => billing.coupons.redeemPromotionCode(wanted, by);
    expect(await redeem(founder)).toMatchObject({ code: 'WELCOME-20', percentOff: 20, state: 'ACTIVE' });
    expect(await refusalOf(redeem(founder))).toMatchObject({ code: 'promotion_code_used' });
    expect(await refusalOf(redeem(founder, { code: 'NOSUCH' }))).toMatchObject({ code: 'promotion_code_not_found' });
    const [second, third] = [await identity.found(), await identity.found()];
    await redeem(second);
    expect(await refusalOf(redeem(third))).toMatchObject({ code: 'promotion_code_expired' });
    expect((await operate('coupons list'))[0]).toMatchObject({ code: 'WELCOME-20', redemptions: 2 });

    // Five seats of TEAM at 29.00.
    const wanted = { seatCount: 5, subscriptionTier: 'TEAM' } as const;
    const preview = await billing.subscriptions.previewSubscription(wanted, founder);
    expect(preview).toMatchObject({ subtotalMinor: '11600', taxMinor: '2204', renewalTotalMinor: '17255' });
    await billing.subscriptions.changeSubscription({ ...wanted, previewToken: preview.token }, founder);
    expect(await subscriptionInvoices(founder)).toEqual([
      ['11600', 'TEAM, 5 seats 14500', 'Coupon WELCOME-20, 20 % off -2900'],
    ]);
    const { redemptions } = await billing.coupons.listCouponRedemptions({}, founder);
    expect(redemptions).toMatchObject([{ code: 'WELCOME-20', state: 'USED' }]);

    clock.advance(31 * 86_400_000);
    await onSchedule();
    await onSchedule();
    expect(await subscriptionInvoices(founder)).toEqual([
      ['14500', 'TEAM, 5 seats 14500'],
      ['11600', 'TEAM, 5 seats 14500', 'Coupon WELCOME-20, 20 % off -2900'],
    ]);
  });

  it('for one cycle are there again when nothing came of that cycle, as its invoice is void', async () => {
    await operate('coupons create again-20 --percent 20');
    const founder = await identity.found();
    await useCard(founder, 'pm_card_visa');
    const wanted = { seatCount: 5, subscriptionTier: 'TEAM' } as const;
    await billing.subscriptions.changeSubscription(wanted, founder);
    await billing.coupons.redeemPromotionCode({ code: 'again-20' }, founder);
    await useCard(founder, 'pm_card_chargeCustomerFail');
    clock.advance(31 * 86_400_000);
    await onSchedule();
    const stateOf = async () => (await billing.coupons.listCouponRedemptions({}, founder)).redemptions[0]?.state;
    const [open] = (await billing.invoices.listInvoices({ status: ['OPEN'] }, founder)).invoices;
    expect([open?.subtotalMinor, await stateOf()]).toEqual(['11600', 'USED']);
    await billing.invoices.voidInvoice({ invoiceId: open?.id ?? '' }, founder);
    expect(await stateOf()).toBe('ACTIVE');
    await useCard(founder, 'pm_card_visa');
    await billing.subscriptions.changeSubscription(wanted, founder);
    expect((await subscriptionInvoices(founder))[0]).toEqual(['11600', 'TEAM, 5 seats 14500', expect.any(String)]);
    expect(await stateOf()).toBe('USED');
  });

  it('take an amount off each cycle within their months, and are archived', async () => {
    await operate('coupons create fixed --amount 500 --currency EUR --months 2');
    const founder = await identity.found();
    await useCard(founder, 'pm_card_visa');
    const { token } = await billing.subscriptions.previewSubscription(
      { seatCount: 1, subscriptionTier: 'BASIC' },
      founder,
    );
    await billing.coupons.redeemPromotionCode({ code: 'fixed' }, founder);
    const outdated = billing.subscriptions.changeSubscription(
      { seatCount: 1, subscriptionTier: 'BASIC', previewToken: token },
      founder,
    );
    expect(await refusalOf(outdated)).toMatchObject({ code: 'preview_outdated' });
    await billing.subscriptions.changeSubscription({ seatCount: 1, subscriptionTier: 'BASIC' }, founder);
    for (let month = 0; month < 3; month += 1) {
      clock.advance(31 * 86_400_000);
      await onSchedule();
      await onSchedule();
    }
    // Redeemed in the moment of the purchase: that cycle, the next one, and not the one that begins two months later.
    expect((await subscriptionInvoices(founder)).map(([subtotal]) => subtotal)).toEqual(['900', '900', '400', '400']);
    await operate('coupons archive FIXED');
    const other = await identity.found();
    expect(await refusalOf(billing.coupons.redeemPromotionCode({ code: 'FIXED' }, other))).toMatchObject({
      code: 'promotion_code_expired',
    });
    await expect(operate('coupons archive FIXED')).rejects.toThrow('not archived');
  });

  it.each([
    'coupons create x',
    'coupons create x --percent 101',
    'coupons create x --percent 5 --amount 5 --currency EUR',
    'coupons create x --amount 5',
    'coupons create x --percent 5 --months 2 --forever',
    'coupons create x --percent 5 --redeem-by 2020-01-01',
    'coupons create',
    'coupons delete x',
  ])('are not made by `%s`', async (line) => {
    await expect(operate(line)).rejects.toThrow(WrongUsage);
  });
});
