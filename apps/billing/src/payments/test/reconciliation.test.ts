import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId } from '@platform-backend/core';
import { member } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { payingOrganisation } from '../../../test/paying-organisation.ts';
import { startStripeDouble, type StripeDouble } from '../../../test/stripe-double.ts';
import { startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { billingAreas } from '../../areas.ts';
import { reconcilePayments } from '../app/reconcile-payments.ts';

const minute = 60_000;

describe.each(['sandbox', 'stripe'] as const)('payments through %s compared with those here', (provider) => {
  const clock = fixedClock(new Date());
  let stripe: StripeDouble;
  let billing: TestBilling;
  let ports: Awaited<ReturnType<typeof billingAreas>>['payments']['exports']['ports'];
  beforeAll(async () => {
    stripe = await startStripeDouble(() => clock.now().getTime());
    const throughStripe = {
      BILLING_PAYMENT_PROCESSOR: 'stripe',
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_API_URL: stripe.url,
    };
    const environment = { BILLING_SCHEDULE_SECONDS: '1', ...(provider === 'stripe' && throughStripe) };
    billing = await startTestBilling({ clock, environment });
    ports = (await billingAreas(billing.frame)).payments.exports.ports;
  });
  afterAll(async () => {
    await billing.stop();
    await stripe.stop();
  });

  const payingWith = (card: string) => payingOrganisation(billing, card, provider === 'stripe' ? stripe : undefined);
  const buy = (organisationId: string) =>
    billing.credits.purchaseCredits({ credits: 70 }, member(organisationId)).catch(() => undefined);
  const latest = async (organisationId: string) => {
    const [payment] = await ports.payments.list({ states: [], organisationId, limit: 1 });
    if (!payment) throw new Error('there is no payment');
    return payment;
  };
  const differences = async () => {
    clock.advance(11 * minute);
    const all = await reconcilePayments(ports, 1);
    return all.map(({ kind, organisationId, paymentId }) => [kind, organisationId, paymentId]);
  };

  it('agree, and each difference is listed with its kind, by our id and the name of the processor', async () => {
    const cards = ['pm_card_visa', 'pm_card_chargeCustomerFail', 'pm_card_authenticationRequired'];
    for (const card of cards) await buy(await payingWith(card));
    const paid = await payingWith('pm_card_visa');
    await buy(paid);
    // From then on nobody looks at it any more.
    await waitFor(async () => (await latest(paid)).nextLookAt === null);
    const purchase = await latest(paid);
    expect(await differences()).toEqual([]);

    await billing.pool.tenant(paid, (trx) => trx('payments').update({ state: 'DECLINED' }));
    expect(await differences()).toEqual([['paid_there_alone', paid, purchase.id]]);
    await billing.pool.tenant(paid, (trx) => trx('payments').update({ state: 'SUCCEEDED', amount_minor: 84 }));
    expect(await differences()).toEqual([['amount_differs', paid, purchase.id]]);
    await billing.pool.tenant(paid, (trx) => trx('payments').update({ amount_minor: 83 }));

    const lost = `pi_${newId()}`;
    // What it has bought names it as well.
    await billing.pool.tenant(paid, async (trx) => {
      await trx('payments').update({ id: newId(), reference: lost });
      await trx('credit_purchases').update({ processor_reference: lost });
    });
    expect((await differences()).map(([kind]) => kind).toSorted()).toEqual(['unknown_here', 'unknown_there']);
    await billing.pool.tenant(paid, async (trx) => {
      await trx('payments').update({ id: purchase.id, reference: purchase.reference });
      await trx('credit_purchases').update({ processor_reference: purchase.reference });
    });

    await billing.pool.tenant(paid, (trx) =>
      trx('credit_purchases').update({ status: 'DECLINED', processor_reference: null }),
    );
    expect(await differences()).toEqual([['not_booked', paid, purchase.id]]);
  });
});
