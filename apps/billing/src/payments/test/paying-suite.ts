import { describe, expect, it } from '@jest/globals';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { identity, stripe, billing, setUp, list, change, paymentsOf, eventually } from './stripe-under-test.ts';

export function payingSuite(): void {
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
}
