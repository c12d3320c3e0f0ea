import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId } from '@platform-backend/core';
import { setUpStreams } from '@platform-backend/events/set-up';
import { service } from '@platform-backend/service/testing';
import { throwawayNats, waitFor, type ThrowawayNats } from '@platform-backend/testing';
import { dyingAt, wasKilled } from '../../../test/crash-test-parts.ts';
import { startRealIdentity, type Founder, type RealIdentity } from '../../../test/real-identity.ts';
import { startStripeDouble, type StripeDouble } from '../../../test/stripe-double.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { billingAreas } from '../../areas.ts';
import { taxOfOrganisation } from '../../invoices/app/tax-of-sale.ts';
import { cancelPayment } from '../../payments/app/collect-payment.ts';
import { priceOf } from '../../prices/domain/price-book.ts';
import { newPurchase } from '../../purchases/domain/credit-purchase.ts';
import { workOnSchedule } from '../../subscriptions/app/work-on-schedule.ts';
import { closeDeletedOrganisations, type ClosurePorts } from '../app/close-organisation.ts';
import { beginClosure } from '../store/organisation-closures-store.ts';

type Areas = Awaited<ReturnType<typeof billingAreas>>;
type Ports = Areas['organisationClosure']['exports']['ports'];

const minute = 60_000;
const clock = fixedClock('2026-04-01T12:00:00.000Z');

/** Buys a subscription and credits, leaves purchases behind, and sets credits aside for work that is running. */
async function livelyOrganisation(
  billing: TestBilling,
  identity: RealIdentity,
  setUp: (clientSecret: string, card: string, founder: Founder) => Promise<unknown>,
): Promise<Founder> {
  const founder = await identity.found();
  for (const card of ['pm_card_authenticationRequired', 'pm_card_visa']) {
    const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, founder);
    await setUp(clientSecret, card, founder);
  }
  const { paymentMethods } = await billing.paymentMethods.listPaymentMethods({}, founder);
  const [paying, asking] = paymentMethods.map(({ id }) => id);
  await billing.paymentMethods.setDefaultPaymentMethod({ paymentMethodId: paying ?? '' }, founder);
  await billing.subscriptions.changeSubscription({ subscriptionTier: 'TEAM', seatCount: 3 }, founder);
  await billing.credits.purchaseCredits({ credits: 70 }, founder);
  await billing.credits.purchaseCredits({ credits: 80, paymentMethodId: asking ?? '' }, founder);
  await billing.pipelines.credits.reserveCredits(
    { reservationId: newId(), amountMicros: micros(5), purpose: 'run' },
    service('pipelines', founder.organisation.id),
  );
  return founder;
}

/** What is left of an organisation. */
async function seen(billing: TestBilling, founder: Founder) {
  const { id } = founder.organisation;
  const { purchases } = await billing.credits.listCreditPurchases({}, founder);
  const { invoices } = await billing.invoices.listInvoices({}, founder);
  const { reservedMicros, availableMicros } = await billing.credits.getCreditBalance({}, founder);
  const { status } = await billing.subscriptions.getSubscription({}, founder);
  const rows = await billing.pool.tenant(id, async (trx) => ({
    methods: await trx('payment_methods').select('id'),
    policies: await trx('client_policies').select('client_group_id'),
    events: await trx<{ type: string }>('outbox').pluck('type'),
  }));
  const told = (name: string) => rows.events.filter((type) => type === `platform.v1.billing.${name}`).length;
  return {
    subscription: status,
    purchases: purchases.map((purchase) => purchase.status).toSorted(),
    invoices: invoices.length,
    credits: [availableMicros, reservedMicros],
    paymentMethods: rows.methods.length,
    detached: told('payment_method.detached'),
    released: told('credits.released'),
    ended: told('subscription.changed'),
  };
}

const closed = {
  subscription: 'ENDED',
  purchases: ['DECLINED', 'SUCCEEDED'],
  invoices: 2,
  // Bought, and what comes with three seats of TEAM.
  credits: [micros(70 + 60), '0'],
  paymentMethods: 0,
  detached: 2,
  released: 1,
  ended: 2,
};

describe('an organisation that identity has deleted', () => {
  let nats: ThrowawayNats;
  let identity: RealIdentity;
  let billing: TestBilling;
  beforeAll(async () => {
    nats = await throwawayNats();
    await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(240_000) });
    identity = await startRealIdentity(nats.url);
    const environment = { IDENTITY_ADDRESS: identity.process.address, BILLING_SCHEDULE_SECONDS: '1' };
    billing = await startTestBilling({ natsUrl: nats.url, environment });
  });
  afterAll(async () => {
    await billing.stop();
    await identity.stop();
    await nats.drop();
  });

  it('has no running subscription, no payment method and nothing set aside any more, and keeps its invoices', async () => {
    const founder = await livelyOrganisation(billing, identity, (clientSecret, card, { caller }) =>
      billing.paymentMethods.confirmInSandbox({ clientSecret, card }, { caller }),
    );
    const other = await livelyOrganisation(billing, identity, (clientSecret, card, { caller }) =>
      billing.paymentMethods.confirmInSandbox({ clientSecret, card }, { caller }),
    );
    await identity.organisations.deleteCurrentOrganisation({}, founder);
    const isClosed = async () =>
      billing.pool.tenant(founder.organisation.id, (trx) =>
        trx('organisation_closures').whereNotNull('closed_at').first<object | undefined>(),
      );
    await waitFor(isClosed, { what: 'the organisation to be closed' });
    expect(await seen(billing, founder)).toEqual(closed);
    expect(await seen(billing, other)).toMatchObject({
      subscription: 'ACTIVE',
      paymentMethods: 2,
      purchases: ['REQUIRES_ACTION', 'SUCCEEDED'],
      detached: 0,
    });
  });
});

describe.each(['sandbox', 'stripe'] as const)(
  'what is due to a deleted organisation that pays through %s',
  (provider) => {
    let stripe: StripeDouble;
    let identity: RealIdentity;
    let billing: TestBilling;
    let ports: Ports;
    let payments: Areas['payments']['exports']['ports'];
    beforeAll(async () => {
      stripe = await startStripeDouble();
      identity = await startRealIdentity();
      // Its own schedule never runs here: each test is the schedule.
      const environment = {
        IDENTITY_ADDRESS: identity.process.address,
        BILLING_SCHEDULE_SECONDS: '3600',
        ...(provider === 'stripe' && {
          BILLING_PAYMENT_PROCESSOR: 'stripe',
          STRIPE_SECRET_KEY: 'sk_test_1',
          STRIPE_API_URL: stripe.url,
        }),
      };
      billing = await startTestBilling({ clock, environment });
      const areas = await billingAreas(billing.frame);
      ports = areas.organisationClosure.exports.ports;
      payments = areas.payments.exports.ports;
    });
    afterAll(async () => {
      await billing.stop();
      await identity.stop();
      await stripe.stop();
    });

    const lively = () =>
      livelyOrganisation(billing, identity, async (clientSecret, card, { caller }) => {
        if (provider === 'stripe') stripe.confirmSetup(clientSecret, card);
        else await billing.paymentMethods.confirmInSandbox({ clientSecret, card }, { caller });
      });
    const hear = ({ organisation: { id } }: Founder) =>
      billing.pool.tenant(id, (trx) => beginClosure(trx, id, clock.now()));
    const closeAll = async () => {
      clock.advance(2 * minute);
      return closeDeletedOrganisations(ports, billing.logger);
    };
    /** All that is attached at the provider. */
    const attached = async ({ organisation: { id } }: Founder) => {
      const wallet = await ports.wallets.get(id);
      return wallet ? ports.provider.listPaymentMethods(wallet) : [];
    };

    it('happens once, however often and late the event comes, and whoever looks at the same moment', async () => {
      const founder = await lively();
      await Promise.all([hear(founder), hear(founder)]);
      clock.advance(2 * minute);
      const replicas = Array.from({ length: 4 }, () => closeDeletedOrganisations(ports, billing.logger));
      expect((await Promise.all(replicas)).reduce((sum, count) => sum + count)).toBe(1);
      expect(await seen(billing, founder)).toEqual(closed);
      await hear(founder);
      expect(await closeAll()).toBe(0);
      expect(await seen(billing, founder)).toEqual(closed);
      expect(await attached(founder)).toEqual([]);
    });

    it('does not wait for its meters to be gone', async () => {
      const founder = await lively();
      await hear(founder);
      clock.advance(2 * minute);
      const removeMeters = () => Promise.reject(new Error('it takes too long'));
      expect(await closeDeletedOrganisations({ ...ports, removeMeters }, billing.logger)).toBe(0);
      expect(await seen(billing, founder)).toEqual(closed);
      expect(await closeAll()).toBe(1);
    });

    it('is completed by another when its process is killed between any two steps', async () => {
      for (let step = 1; ; step += 2) {
        const founder = await lively();
        await hear(founder);
        const crashing = dyingAt(step, step % 4 === 1 ? 'before' : 'after');
        const crashingPayments = {
          ...payments,
          payments: crashing(payments.payments),
          provider: crashing(payments.provider),
          wallets: crashing(payments.wallets),
        };
        const dying: ClosurePorts = {
          ...ports,
          closures: crashing(ports.closures),
          credits: crashing(ports.credits),
          subscriptions: crashing(ports.subscriptions),
          organisations: crashing(ports.organisations),
          wallets: crashing(ports.wallets),
          provider: crashing(ports.provider),
          purchases: crashing(ports.purchases),
          payments: crashingPayments.payments,
          cancelPayment: (payment) => cancelPayment(crashingPayments, payment),
        };
        clock.advance(2 * minute);
        // Whoever is dead logs nothing, so that it is known.
        const logger = {
          ...billing.logger,
          warn: ({ err }: { err: unknown }) => {
            throw err as Error;
          },
        };
        const killed = await wasKilled(closeDeletedOrganisations(dying, logger as never));
        await closeAll();
        // A change that was left behind is gone on with by the schedule of subscriptions, and only then all can be closed.
        await workOnSchedule(ports, billing.logger);
        await closeAll();
        expect([step, await seen(billing, founder)]).toEqual([step, closed]);
        expect(await attached(founder)).toEqual([]);
        if (!killed) {
          expect(step).toBeGreaterThan(15);
          return;
        }
      }
    }, 240_000);

    it('begins with its payments, so that nothing is paid any more when all else is gone', async () => {
      const founder = await lively();
      await hear(founder);
      const order: string[] = [];
      const seenFirst: ClosurePorts = {
        ...ports,
        cancelPayment: (payment) => {
          order.push('payments');
          return ports.cancelPayment(payment);
        },
        organisations: {
          applyPlan: (plan) => {
            order.push('subscription');
            return ports.organisations.applyPlan(plan);
          },
        },
        provider: {
          ...ports.provider,
          detachPaymentMethod: (payer, reference) => {
            order.push('cards');
            return ports.provider.detachPaymentMethod(payer, reference);
          },
        },
      };
      clock.advance(2 * minute);
      expect(await closeDeletedOrganisations(seenFirst, billing.logger)).toBe(1);
      expect([...new Set(order)]).toEqual(['payments', 'subscription', 'cards']);
    });

    it('is nothing more to pay for a purchase that was never tried', async () => {
      const founder = await identity.found();
      const { id: organisationId } = founder.organisation;
      const buyer = { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'OWNER' } as const;
      const price = priceOf(
        ports.priceBook,
        { credits: 10, currency: null, country: null },
        await taxOfOrganisation(ports, organisationId, null, clock.now()),
        'body',
      );
      const purchase = newPurchase({ id: newId(), price, paymentMethodId: null, buyer, origin: 'MEMBER' }, clock.now());
      await ports.purchases.add({ organisationId, actor: buyer, requestId: 'r' }, purchase);
      await hear(founder);
      expect(await closeAll()).toBe(1);
      expect(await ports.purchases.get(organisationId, purchase.id)).toMatchObject({ status: 'DECLINED' });
      if (provider === 'stripe') return;
      const payments = await billing.pool.tenant(organisationId, (trx) => trx('sandbox_payments').select('id'));
      expect(payments).toEqual([]);
    });
  },
);
