import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId, upstreamFailed } from '@platform-backend/core';
import { member, refusalOf } from '@platform-backend/service/testing';
import { repetitions } from '@platform-backend/testing';
import { dyingAt, wasKilled } from '../../../test/crash-test-parts.ts';
import { payingOrganisation } from '../../../test/paying-organisation.ts';
import { startStripeDouble, type StripeDouble } from '../../../test/stripe-double.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { billingAreas } from '../../areas.ts';
import { collectPayment, lookAfterPayments } from '../../payments/app/collect-payment.ts';
import { purchaseUseCases } from '../app/purchases.ts';

type Areas = ReturnType<typeof billingAreas>;
type Ports = Areas['purchases']['exports']['ports'];
type PaymentsPorts = Areas['payments']['exports']['ports'];

const clock = fixedClock('2026-04-01T12:00:00.000Z');

describe.each(['sandbox', 'stripe'] as const)('a purchase paid through %s', (provider) => {
  let stripe: StripeDouble;
  let billing: TestBilling;
  let ports: Ports;
  let payments: PaymentsPorts;

  beforeAll(async () => {
    stripe = await startStripeDouble();
    const throughStripe = {
      BILLING_PAYMENT_PROCESSOR: 'stripe',
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_API_URL: stripe.url,
    };
    // Its own schedule never runs here: each test is the schedule.
    const environment = {
      BILLING_SCHEDULE_SECONDS: '3600',
      BILLING_PURCHASES_PER_HOUR: '1000',
      ...(provider === 'stripe' && throughStripe),
    };
    billing = await startTestBilling({ clock, environment });
    const areas = billingAreas(billing.frame);
    ports = areas.purchases.exports.ports;
    payments = areas.payments.exports.ports;
  });
  afterAll(async () => {
    await billing.stop();
    await stripe.stop();
  });

  const payingWith = (card: string) => payingOrganisation(billing, card, provider === 'stripe' ? stripe : undefined);

  const buy = (by: Ports, organisationId: string) =>
    purchaseUseCases(by).purchaseCredits(
      {
        organisationId,
        actor: { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'OWNER' },
        requestId: newId(),
      },
      { credits: 70, currency: null, country: null, paymentMethodId: null, previewToken: null },
    );

  /** Payments that were tried, at whoever takes them. */
  async function paymentsOf(organisationId: string): Promise<unknown[]> {
    if (provider === 'sandbox')
      return billing.pool.tenant(organisationId, (trx) => trx('sandbox_payments').select('status'));
    const all = [...stripe.intents.values()];
    return all.filter(({ metadata }) => (metadata as { organisation_id: string }).organisation_id === organisationId);
  }

  /** What everybody can see of an organisation's purchases. */
  async function seen(organisationId: string) {
    const by = member(organisationId);
    const { purchases } = await billing.credits.listCreditPurchases({}, by);
    const { grants } = await billing.credits.listCreditGrants({}, by);
    const { invoices } = await billing.invoices.listInvoices({}, by);
    const { availableMicros } = await billing.credits.getCreditBalance({}, by);
    return {
      statuses: purchases.map(({ status }) => status),
      payments: (await paymentsOf(organisationId)).length,
      grants: grants.length,
      invoices: invoices.length,
      availableMicros,
    };
  }
  const nothing = { statuses: [], payments: 0, grants: 0, invoices: 0, availableMicros: '0' };

  /** Several replicas look at what was left behind at the same moment, and once more. */
  async function finishAll(): Promise<void> {
    clock.advance(61_000);
    for (let look = 0; look < 2; look += 1) {
      await Promise.all(
        Array.from({ length: 3 }, async () => {
          await purchaseUseCases(ports).payAbandoned(billing.logger);
          await lookAfterPayments(payments);
        }),
      );
    }
  }

  it.each([
    [
      'pays',
      'pm_card_visa',
      { statuses: ['SUCCEEDED'], payments: 1, grants: 1, invoices: 1, availableMicros: micros(70) },
    ],
    ['is declined', 'pm_card_chargeCustomerFail', { ...nothing, statuses: ['DECLINED'], payments: 1 }],
  ])(
    'is finished by another when its process is killed between any two steps, with a card that %s',
    async (_, card, end) => {
      for (let step = 1; ; step += 1) {
        for (const when of ['before', 'after'] as const) {
          const organisationId = await payingWith(card);
          const crashing = dyingAt(step, when);
          const crashingPayments = {
            ...payments,
            payments: crashing(payments.payments),
            provider: crashing(payments.provider),
            wallets: crashing(payments.wallets),
          };
          const dying: Ports = {
            ...ports,
            purchases: crashing(ports.purchases),
            collectPayment: (request) => collectPayment(crashingPayments, request),
          };
          const killed = await wasKilled(
            buy(dying, organisationId).catch((error: unknown) => {
              // The last answer of one who lives.
              if (!(error instanceof Error && 'kind' in error && error.kind === 'payment_required')) throw error;
            }),
          );
          await finishAll();
          const begun = step > 1 || when === 'after';
          expect([step, when, await seen(organisationId)]).toEqual([step, when, begun ? end : nothing]);
          if (!killed) {
            // Both are written down, the wallet opened, the card pinned, charged, and both recorded.
            expect(step - 1).toBeGreaterThanOrEqual(7);
            return;
          }
        }
      }
    },
    60_000,
  );

  it('is finished although many before it can not be, and given up after a day when the processor knows nothing of it', async () => {
    const [stuck, good] = [await payingWith('pm_card_visa'), await payingWith('pm_card_visa')];
    const unreachable = (...organisations: string[]): PaymentsPorts => ({
      ...payments,
      provider: {
        ...payments.provider,
        charge: (payer, charge) =>
          organisations.includes(payer.organisationId)
            ? Promise.reject(upstreamFailed(new Error('nobody answers')))
            : payments.provider.charge(payer, charge),
      },
    });
    const buyWhileAway = (organisationId: string) =>
      buy({ ...ports, collectPayment: (request) => collectPayment(unreachable(stuck, good), request) }, organisationId);
    for (let n = 0; n < repetitions({ usual: 60, long: 120 }); n += 1) await buyWhileAway(stuck);
    clock.advance(1_000);
    expect(await buyWhileAway(good)).toMatchObject({ status: 'PENDING' });
    clock.advance(61_000);
    const look = () => lookAfterPayments(unreachable(stuck));
    expect((await look()) + (await look()) + (await look())).toBe(1);
    expect((await seen(good)).statuses).toEqual(['SUCCEEDED']);

    clock.advance(24 * 3_600_000);
    for (let round = 0; round < 4; round += 1) await look();
    expect(await paymentsOf(stuck)).toEqual([]);
    expect(new Set((await seen(stuck)).statuses)).toEqual(new Set(['DECLINED']));
  });

  it('is not charged any more when its buyer asked for it days ago', async () => {
    const organisationId = await payingWith('pm_card_visa');
    const dying = { ...ports, purchases: dyingAt(1, 'after')(ports.purchases) };
    expect(await wasKilled(buy(dying, organisationId))).toBe(true);
    clock.advance(48 * 3_600_000);
    await finishAll();
    expect(await seen(organisationId)).toEqual({ ...nothing, statuses: ['DECLINED'] });
  });

  if (provider === 'stripe') {
    it.each(['before', 'after'] as const)(
      'is PENDING when the connection breaks %s the payment took effect, and paid once all the same',
      async (when) => {
        const organisationId = await payingWith('pm_card_visa');
        await billing.paymentMethods.listPaymentMethods({}, member(organisationId));
        stripe.breakConnections(when);
        const begun = billing.credits.purchaseCredits({ credits: 70 }, member(organisationId));
        expect(await refusalOf(begun)).toMatchObject({ kind: 'accepted', code: 'purchase_not_paid_yet' });
        const { purchases } = await billing.credits.listCreditPurchases({}, member(organisationId));
        const { id = '', status } = purchases[0] ?? {};
        const current = () => billing.credits.getCreditPurchase({ purchaseId: id }, member(organisationId));
        await finishAll();
        stripe.breakConnections('no');
        expect([status, (await current()).status]).toEqual(['PENDING', 'PENDING']);
        await finishAll();
        expect(await seen(organisationId)).toEqual({
          statuses: ['SUCCEEDED'],
          payments: 1,
          grants: 1,
          invoices: 1,
          availableMicros: micros(70),
        });
      },
      60_000,
    );
  }
});
