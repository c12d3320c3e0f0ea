import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { startStripeDouble, type StripeDouble } from '../../../test/stripe-double.ts';
import { startTestBilling, type TestBilling } from '../../../test/test-billing.ts';

const hour = 3_600_000;
const clock = fixedClock(new Date());
let stripe: StripeDouble;
let billing: TestBilling;
beforeAll(async () => {
  stripe = await startStripeDouble(() => clock.now().getTime());
  billing = await startTestBilling({
    clock,
    environment: {
      BILLING_PAYMENT_PROCESSOR: 'stripe',
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_API_URL: stripe.url,
      BILLING_SCHEDULE_SECONDS: '3600',
      BILLING_SETUP_INTENTS_PER_HOUR: '5',
      BILLING_PURCHASES_PER_HOUR: '20',
      BILLING_DECLINES_PER_DAY: '4',
      BILLING_REFUNDS_PER_HOUR: '4',
    },
  });
});
afterAll(async () => {
  await billing.stop();
  await stripe.stop();
});

const setUp = (organisationId: string) => billing.paymentMethods.createSetupIntent({}, member(organisationId));
const buy = (organisationId: string) => billing.credits.purchaseCredits({ credits: 70 }, member(organisationId));
const codesOf = async (calls: number, call: () => Promise<unknown>): Promise<string[]> => {
  const codes: string[] = [];
  for (let n = 0; n < calls; n += 1)
    codes.push(
      await call().then(
        () => 'done',
        (error: unknown) => (error as { code: string }).code,
      ),
    );
  return codes;
};
const triedOf = (organisationId: string) =>
  [...stripe.intents.values()].filter(
    ({ metadata }) => (metadata as { organisation_id: string }).organisation_id === organisationId,
  ).length;
const audited = (organisationId: string) =>
  billing.pool.tenant(organisationId, async (trx) => {
    const rows = await trx<{ type: string }>('outbox').where('type', 'like', '%.payments.limited').select('type');
    return rows.length;
  });

async function payingWith(card: string, fingerprint?: string): Promise<string> {
  const organisationId = newOrganisation();
  stripe.confirmSetup((await setUp(organisationId)).clientSecret, card, fingerprint);
  return organisationId;
}

describe('those who test cards', () => {
  it('cannot begin to set up one after the other, also not many at once, until an hour has passed', async () => {
    const organisationId = newOrganisation();
    const codes = await Promise.all(Array.from({ length: 12 }, () => codesOf(1, () => setUp(organisationId))));
    expect(codes.flat().toSorted()).toEqual([
      ...Array<string>(5).fill('done'),
      ...Array<string>(7).fill('payments_limited'),
    ]);
    await expect(setUp(organisationId)).rejects.toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 3600 });
    expect(await audited(organisationId)).toBe(8);
    expect(await codesOf(1, () => setUp(newOrganisation()))).toEqual(['done']);
    clock.advance(hour);
    expect(await codesOf(1, () => setUp(organisationId))).toEqual(['done']);
  });

  it('cannot begin more purchases than anybody needs', async () => {
    const organisationId = await payingWith('pm_card_visa');
    const codes = await codesOf(22, () => buy(organisationId));
    expect(codes.filter((code) => code === 'payments_limited')).toHaveLength(2);
    expect(triedOf(organisationId)).toBe(20);
  });

  it('cannot have as many refunds as there are cents', async () => {
    const organisationId = await payingWith('pm_card_visa');
    await buy(organisationId);
    const { invoices } = await billing.invoices.listInvoices({}, member(organisationId));
    const refund = { invoiceId: invoices[0]?.id ?? '', amountMinor: '1' };
    const codes = await codesOf(6, () => billing.refunds.createRefund(refund, member(organisationId)));
    expect(codes).toEqual([...Array<string>(4).fill('done'), 'payments_limited', 'payments_limited']);
    const { refunds } = await billing.refunds.listRefunds({}, member(organisationId));
    expect(refunds).toHaveLength(4);
    expect(await audited(organisationId)).toBe(2);
  });

  it('hear no more of the processor once several payments were declined, and it is asked no more', async () => {
    const organisationId = await payingWith('pm_card_chargeCustomerFail');
    expect(await codesOf(7, () => buy(organisationId))).toEqual([
      ...Array<string>(4).fill('generic_decline'),
      ...Array<string>(3).fill('payments_limited'),
    ]);
    expect(await refusalOf(buy(organisationId))).toMatchObject({ kind: 'payment_required' });
    expect(triedOf(organisationId)).toBe(4);
    expect(await audited(organisationId)).toBe(4);
    clock.advance(24 * hour);
    expect(await codesOf(1, () => buy(organisationId))).toEqual(['generic_decline']);
  });

  it('gain nothing by trying one card in many organisations', async () => {
    const codes: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const organisationId = await payingWith('pm_card_chargeCustomerFail', 'one-card');
      codes.push(...(await codesOf(1, () => buy(organisationId))));
    }
    expect(codes.slice(-2)).toEqual(['payments_limited', 'payments_limited']);
    expect(codes.slice(0, 4)).toEqual(Array<string>(4).fill('generic_decline'));
  });
});
