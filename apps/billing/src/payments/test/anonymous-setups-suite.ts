import { describe, expect, it } from '@jest/globals';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { stripe, billing, setUp, list, nobody, eventOf, report } from './stripe-under-test.ts';

export function anonymousSetupsSuite(): void {
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
}
