import { describe, expect, it } from '@jest/globals';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import {
  identity,
  billing,
  setUp,
  list,
  change,
  paymentsOf,
  customerOf,
  eventOf,
  signed,
  report,
} from './stripe-under-test.ts';

export function reportsSuite(): void {
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

    it('are believed by the old and the new replicas while the secret is replaced, since Stripe signs with both', async () => {
      const payload = eventOf('setup_intent.succeeded', { id: 'seti_3', customer: 'cus_1' });
      const timestamp = Math.floor(Date.now() / 1000);
      const [ours = '', theirs = ''] = ['whsec_test', 'whsec_other'].map((secret) =>
        signed(payload, { secret, timestamp }),
      );
      const [at = '', ofOurs = ''] = ours.split(',');
      for (const both of [`${theirs},${ofOurs}`, `${at},${ofOurs},${theirs.split(',')[1] ?? ''}`])
        expect(await report(payload, both)).toEqual({ received: true });
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
}
