import { newId } from '@platform-backend/core';
import { waitFor } from '@platform-backend/testing';
import Stripe from 'stripe';
import { startRealIdentity, type Founder, type RealIdentity } from '../../../test/real-identity.ts';
import { startStripeDouble, type StripeDouble } from '../../../test/stripe-double.ts';
import { startTestBilling, type TestBilling } from '../../../test/test-billing.ts';

const webhookSecret = 'whsec_test';
export let identity: RealIdentity;
export let stripe: StripeDouble;
export let billing: TestBilling;
/** Starts who all of the suites use, together. */
export async function startStripeUnderTest(): Promise<void> {
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
}

export async function stopStripeUnderTest(): Promise<void> {
  await billing.stop();
  await stripe.stop();
  await identity.stop();
}

export type Payer = Pick<Founder, 'caller'>;

export async function setUp({ caller }: Payer, card = 'pm_card_visa') {
  const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, { caller });
  return stripe.confirmSetup(clientSecret, card);
}

export const list = async ({ caller }: Payer) =>
  (await billing.paymentMethods.listPaymentMethods({}, { caller })).paymentMethods;
export const change = ({ caller }: Payer, seatCount: number) =>
  billing.subscriptions.changeSubscription({ seatCount, subscriptionTier: 'TEAM' }, { caller });
export const paymentsOf = (organisationId: string) =>
  [...stripe.intents.values()].filter(
    ({ metadata }) => (metadata as { organisation_id: string }).organisation_id === organisationId,
  );
export const customerOf = (organisationId: string) =>
  [...stripe.customers.values()].filter(
    ({ metadata }) => (metadata as { organisation_id: string }).organisation_id === organisationId,
  );

export const nobody = { caller: { kind: 'anonymous', service: 'gateway', scopes: [] } as const };
export const eventOf = (type: string, object: object, id = `evt_${newId()}`) =>
  JSON.stringify({ id, object: 'event', type, created: Math.floor(Date.now() / 1000), data: { object } });
export const signed = (payload: string, more: { secret?: string; timestamp?: number } = {}) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret, ...more });
export const report = (payload: string, signature = signed(payload)) =>
  billing.webhooks.receiveStripeWebhook({ payload: Buffer.from(payload), signature }, nobody);

export async function eventually<Value>(look: () => Promise<Value>, met: (value: Value) => boolean): Promise<Value> {
  let value = await look();
  await waitFor(async () => met((value = await look())));
  return value;
}
