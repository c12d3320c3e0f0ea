import { member, newOrganisation } from '@platform-backend/service/testing';
import type { StripeDouble } from './stripe-double.ts';
import type { TestBilling } from './test-billing.ts';

/** An organisation that pays with this card, which is set up at Stripe's double or else in the sandbox; its id. */
export async function payingOrganisation(billing: TestBilling, card: string, stripe?: StripeDouble): Promise<string> {
  const organisationId = newOrganisation();
  const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, member(organisationId));
  if (stripe) stripe.confirmSetup(clientSecret, card);
  else await billing.paymentMethods.confirmInSandbox({ clientSecret, card }, member(organisationId));
  return organisationId;
}
