import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError, fixedClock, newId, upstreamFailed } from '@platform-backend/core';
import { member, refusalOf } from '@platform-backend/service/testing';
import { repetitions } from '@platform-backend/testing';
import fc from 'fast-check';
import { dyingAt, sidesOfSteps, wasKilled } from '../../../test/crash-test-parts.ts';
import { payingOrganisation } from '../../../test/paying-organisation.ts';
import { startStripeDouble, type StripeDouble } from '../../../test/stripe-double.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { billingAreas } from '../../areas.ts';
import { collectPayment, lookAfterPayments } from '../../payments/app/collect-payment.ts';
import { lookAfterRefunds } from '../../refunds/app/execute-refund.ts';
import { refundUseCases } from '../../refunds/app/refunds.ts';
import { purchaseUseCases } from '../app/purchases.ts';

type Areas = Awaited<ReturnType<typeof billingAreas>>;
type Ports = Areas['purchases']['exports']['ports'];
type PaymentsPorts = Areas['payments']['exports']['ports'];
type RefundPorts = Areas['refunds']['exports']['ports'];

const clock = fixedClock('2026-04-01T12:00:00.000Z');

describe.each(['sandbox', 'stripe'] as const)('a purchase paid through %s', (provider) => {
  let stripe: StripeDouble;
  let billing: TestBilling;
  let ports: Ports;
  let payments: PaymentsPorts;
  let refunds: RefundPorts;

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
    const areas = await billingAreas(billing.frame);
    ports = areas.purchases.exports.ports;
    payments = areas.payments.exports.ports;
    refunds = areas.refunds.exports.ports;
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
        for (const when of sidesOfSteps()) {
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

  const cancel = (organisationId: string, purchaseId: string) =>
    billing.credits.cancelCreditPurchase({ purchaseId }, member(organisationId));

  it('is not charged any more once it was cancelled while others that were left behind are charged', async () => {
    const organisationId = await payingWith('pm_card_visa');
    for (let n = 0; n < 2; n += 1)
      await wasKilled(buy({ ...ports, purchases: dyingAt(1, 'after')(ports.purchases) }, organisationId));
    clock.advance(61_000);
    const answers: unknown[] = [];
    const meanwhile: PaymentsPorts['provider'] = {
      ...payments.provider,
      charge: async (payer, charge) => {
        const { purchases } = await billing.credits.listCreditPurchases({}, member(organisationId));
        for (const { id } of purchases.filter((other) => !charge.idempotencyKey.endsWith(other.id)))
          answers.push((await cancel(organisationId, id)).status);
        return payments.provider.charge(payer, charge);
      },
    };
    const collect: Ports['collectPayment'] = (request) => collectPayment({ ...payments, provider: meanwhile }, request);
    await purchaseUseCases({ ...ports, collectPayment: collect }).payAbandoned(billing.logger);
    await finishAll();
    const { statuses, ...rest } = await seen(organisationId);
    expect([answers, statuses.toSorted()]).toEqual([['DECLINED'], ['DECLINED', 'SUCCEEDED']]);
    expect(rest).toEqual({ payments: 1, grants: 1, invoices: 1, availableMicros: micros(70) });
  });

  it.each(['before its payment begins', 'before the processor is asked'])(
    'is not charged any more when it was cancelled %s',
    async (when) => {
      const organisationId = await payingWith('pm_card_visa');
      const cancelAll = async () => {
        const { purchases } = await billing.credits.listCreditPurchases({}, member(organisationId));
        for (const { id } of purchases) expect(await cancel(organisationId, id)).toMatchObject({ status: 'DECLINED' });
      };
      const pinMethod: PaymentsPorts['payments']['pinMethod'] = async (...given) => {
        await cancelAll();
        return payments.payments.pinMethod(...given);
      };
      const late = { ...payments, payments: { ...payments.payments, pinMethod } };
      const cancelled: Ports =
        when === 'before its payment begins'
          ? { ...ports, countPurchase: cancelAll }
          : { ...ports, collectPayment: (request) => collectPayment(late, request) };
      expect(await refusalOf(buy(cancelled, organisationId))).toMatchObject({ code: 'never_charged' });
      await finishAll();
      expect(await seen(organisationId)).toEqual({ ...nothing, statuses: ['DECLINED'] });
    },
  );

  /** Has a part of what was bought refunded, by somebody who may die over it. */
  const giveBack = (by: RefundPorts, organisationId: string, invoiceId: string, amountMinor: bigint | null = null) =>
    refundUseCases(by).createRefund(
      {
        organisationId,
        actor: { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'OWNER' },
        requestId: newId(),
      },
      { invoiceId, amountMinor, reason: 'REQUESTED_BY_CUSTOMER', memo: '' },
    );

  const bought = async () => {
    const organisationId = await payingWith('pm_card_visa');
    await buy(ports, organisationId);
    const { invoices } = await billing.invoices.listInvoices({}, member(organisationId));
    return { organisationId, invoiceId: invoices[0]?.id ?? '' };
  };

  /** What was given back, at whoever has taken it. */
  async function givenBackThere(organisationId: string): Promise<bigint[]> {
    if (provider === 'stripe') {
      const all = stripe.refunds.filter(
        ({ metadata }) => (metadata as { organisation_id: string }).organisation_id === organisationId,
      );
      return all.map(({ amount }) => BigInt(amount as number));
    }
    const amounts = await billing.pool.tenant(organisationId, (trx) =>
      trx<{ amount: string }>('sandbox_refunds').orderBy('created_at').pluck('amount'),
    );
    return amounts.map(BigInt);
  }

  /** What everybody can see of what was given back. */
  async function seenGivenBack(organisationId: string) {
    const by = member(organisationId);
    const { refunds: all } = await billing.refunds.listRefunds({ limit: 200 }, by);
    const { creditNotes } = await billing.refunds.listCreditNotes({ limit: 200 }, by);
    const { invoices } = await billing.invoices.listInvoices({}, by);
    const { availableMicros } = await billing.credits.getCreditBalance({}, by);
    return { all, creditNotes, invoice: invoices[0], availableMicros };
  }

  async function finishRefunds(): Promise<void> {
    clock.advance(61_000);
    await Promise.all(Array.from({ length: 3 }, () => lookAfterRefunds(refunds)));
  }

  it('is given back once when the process of its refund is killed between any two steps', async () => {
    for (let step = 1; ; step += 1) {
      for (const when of sidesOfSteps()) {
        const { organisationId, invoiceId } = await bought();
        const crashing = dyingAt(step, when);
        const dying: RefundPorts = {
          ...refunds,
          refunds: crashing(refunds.refunds),
          provider: crashing(refunds.provider),
          wallets: crashing(refunds.wallets),
        };
        const killed = await wasKilled(giveBack(dying, organisationId, invoiceId));
        await finishRefunds();
        const { all, creditNotes, invoice, availableMicros } = await seenGivenBack(organisationId);
        const total = await givenBackThere(organisationId);
        const begun = step > 1 || when === 'after';
        expect([
          step,
          when,
          all.map(({ status }) => status),
          total.length,
          creditNotes.length,
          availableMicros,
        ]).toEqual([...[step, when], ...(begun ? [['SUCCEEDED'], 1, 1, '0'] : [[], 0, 0, micros(70)])]);
        expect(invoice?.refundedMinor).toBe(String(total[0] ?? 0n));
        if (!killed) {
          // It is written down, the wallet looked up, the processor asked, and the answer recorded.
          expect(step - 1).toBeGreaterThanOrEqual(4);
          return;
        }
      }
    }
  }, 60_000);

  it('is never given back twice or beyond what was paid, in whatever parts, by however many at once and with whatever breaks', async () => {
    const numRuns = repetitions({ usual: 3, long: 60 });
    const part = fc.record({
      share: fc.integer({ min: 1, max: 120 }),
      breaks: fc.constantFrom('not', 'before', 'after'),
    });
    const property = fc.asyncProperty(
      fc.array(fc.array(part, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
      async (rounds) => {
        const { organisationId, invoiceId } = await bought();
        const paid = BigInt(Math.round(((await seenGivenBack(organisationId)).invoice?.total ?? 0) * 100));
        for (const parts of rounds) {
          await Promise.all(
            parts.map(async ({ share, breaks }) => {
              const broken = (): Promise<never> => Promise.reject(upstreamFailed(new Error('the connection broke')));
              const provider: RefundPorts['provider'] = {
                ...refunds.provider,
                refund: async (payer, refund) => {
                  if (breaks === 'before') return broken();
                  const outcome = await refunds.provider.refund(payer, refund);
                  return breaks === 'after' ? broken() : outcome;
                },
              };
              const amount = (paid * BigInt(share) + 99n) / 100n;
              await giveBack({ ...refunds, provider }, organisationId, invoiceId, amount).catch((error: unknown) => {
                if (!(error instanceof DomainError && error.kind === 'conflict')) throw error;
              });
            }),
          );
          await finishRefunds();
        }
        const { all, creditNotes, invoice, availableMicros } = await seenGivenBack(organisationId);
        const there = await givenBackThere(organisationId);
        const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
        expect(all.map(({ status }) => status)).toEqual(all.map(() => 'SUCCEEDED'));
        const amounts = all.map(({ amountMinor }) => BigInt(amountMinor));
        expect(there.toSorted()).toEqual(amounts.toSorted());
        expect(sum(there) <= paid).toBe(true);
        expect(sum(creditNotes.map(({ totalMinor }) => BigInt(totalMinor)))).toBe(sum(there));
        expect(invoice?.refundedMinor).toBe(String(sum(there)));
        const taken = sum(all.map(({ creditsMicros }) => BigInt(creditsMicros)));
        expect(BigInt(availableMicros)).toBe(BigInt(micros(70)) - taken);
        expect(sum(there) === paid).toBe(availableMicros === '0');
      },
    );
    await fc.assert(property, { numRuns });
  }, 120_000);

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
