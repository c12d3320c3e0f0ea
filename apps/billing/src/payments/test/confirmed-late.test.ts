import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId } from '@platform-backend/core';
import { member, refusalOf } from '@platform-backend/service/testing';
import { dyingAt, wasKilled } from '../../../test/crash-test-parts.ts';
import { payingOrganisation } from '../../../test/paying-organisation.ts';
import { startStripeDouble, type StripeDouble } from '../../../test/stripe-double.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { billingAreas } from '../../areas.ts';
import { purchaseUseCases } from '../../purchases/app/purchases.ts';
import { lookAfterPayments } from '../app/collect-payment.ts';

const clock = fixedClock('2026-04-01T12:00:00.000Z');
let stripe: StripeDouble;
let billing: TestBilling;
let areas: Awaited<ReturnType<typeof billingAreas>>;

beforeAll(async () => {
  stripe = await startStripeDouble();
  const environment = {
    BILLING_PAYMENT_PROCESSOR: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_API_URL: stripe.url,
    // Its own schedule never runs here: each test is the schedule.
    BILLING_SCHEDULE_SECONDS: '3600',
  };
  billing = await startTestBilling({ clock, environment });
  areas = await billingAreas(billing.frame);
});
afterAll(async () => {
  await billing.stop();
  await stripe.stop();
});

/** The schedule, after its longest pause for a payment that waits for its payer. */
async function look(): Promise<void> {
  clock.advance(11 * 60_000);
  await lookAfterPayments(areas.payments.exports.ports);
}

/** Buys while the processor hears nothing, so that the purchase is answered as not paid yet. */
async function buyUnheard(organisationId: string): Promise<void> {
  stripe.breakConnections('before');
  const begun = billing.credits.purchaseCredits({ credits: 70 }, member(organisationId));
  expect(await refusalOf(begun)).toMatchObject({ kind: 'accepted', code: 'purchase_not_paid_yet' });
  stripe.breakConnections('no');
}

/** Buys in a process that is killed when the processor has answered, before the purchase is told. */
async function buyKilled(organisationId: string): Promise<void> {
  const { ports } = areas.purchases.exports;
  const by = {
    organisationId,
    actor: { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'OWNER' },
    requestId: newId(),
  } as const;
  const wanted = { credits: 70, currency: null, country: null, paymentMethodId: null, previewToken: null };
  const dying = { ...ports, purchases: dyingAt(2, 'before')(ports.purchases) };
  expect(await wasKilled(purchaseUseCases(dying).purchaseCredits(by, wanted))).toBe(true);
}

describe('a purchase whose payment turns out later to need its payer', () => {
  it.each([
    ['the first charge was not heard', buyUnheard],
    ['the process that charged was killed', buyKilled],
  ])('says so, and can be confirmed, where %s', async (_, buy) => {
    const organisationId = await payingOrganisation(billing, 'pm_card_authenticationRequired', stripe);
    await billing.paymentMethods.listPaymentMethods({}, member(organisationId));
    const purchaseOf = async () => (await billing.credits.listCreditPurchases({}, member(organisationId))).purchases[0];
    await buy(organisationId);
    expect(await purchaseOf()).toMatchObject({ status: 'PENDING', clientSecret: null });
    await look();
    const [intent] = [...stripe.intents.values()].filter(
      ({ metadata }) => (metadata as { organisation_id: string }).organisation_id === organisationId,
    );
    expect(await purchaseOf()).toMatchObject({ status: 'REQUIRES_ACTION', clientSecret: intent?.['client_secret'] });
    stripe.confirmPayment(String(intent?.['id']));
    await look();
    expect(await purchaseOf()).toMatchObject({ status: 'SUCCEEDED', clientSecret: null });
    expect(await billing.credits.getCreditBalance({}, member(organisationId))).toMatchObject({
      availableMicros: micros(70),
    });
  });
});
