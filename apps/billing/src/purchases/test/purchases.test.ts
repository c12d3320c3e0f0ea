import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';

let billing: TestBilling;
const clock = fixedClock('2026-03-01T12:00:00.000Z');
beforeAll(async () => {
  billing = await startTestBilling({ clock });
});
afterAll(() => billing.stop());

type Request = Parameters<TestBilling['credits']['purchaseCredits']>[0];
const buy = (organisation: string, request: Request) => billing.credits.purchaseCredits(request, member(organisation));
const available = async (organisation: string) =>
  (await billing.credits.getCreditBalance({}, member(organisation))).availableMicros;
const list = (organisation: string, request: Parameters<TestBilling['credits']['listCreditPurchases']>[0] = {}) =>
  billing.credits.listCreditPurchases(request, member(organisation, 'ADMIN'));
const get = (organisation: string, purchaseId: string) =>
  billing.credits.getCreditPurchase({ purchaseId }, member(organisation, 'ADMIN'));

/** An organisation that pays with this test card. */
async function payingWith(card: string): Promise<string> {
  const organisation = newOrganisation();
  await setUpCard(organisation, card);
  return organisation;
}

async function setUpCard(organisation: string, card: string) {
  const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, member(organisation));
  return (await billing.paymentMethods.confirmInSandbox({ clientSecret, card }, member(organisation))).paymentMethod;
}

describe('a purchase', () => {
  it('costs what the preview says, and the credits are there', async () => {
    const organisation = newOrganisation();
    const request = { credits: 12_345, currency: 'USD', country: 'DE' };
    const preview = await billing.credits.previewPrice(request, member(organisation, 'VIEWER'));
    const purchase = await buy(organisation, request);
    expect(purchase).toMatchObject({ ...request, ...preview, status: 'SUCCEEDED', clientSecret: null });
    expect(await get(organisation, purchase.id)).toEqual(purchase);
    expect(await available(organisation)).toBe(micros(12_345));
    const { grants } = await billing.credits.listCreditGrants({}, member(organisation));
    expect(grants).toMatchObject([{ kind: 'PURCHASE', amountMicros: micros(12_345) }]);
  });

  it('is refused in a currency that nothing is sold in, and for no credits', async () => {
    expect(await refusalOf(buy(newOrganisation(), { credits: 5, currency: 'XYZ' }))).toMatchObject({
      kind: 'invalid',
      violations: [{ loc: ['body', 'currency'] }],
    });
    expect(await refusalOf(buy(newOrganisation(), { credits: 0 }))).toMatchObject({ kind: 'invalid' });
  });

  it.each(['XX', 'EL', 'US', 'FR'])('is refused for another country than where tax is due: %s', async (country) => {
    const organisation = newOrganisation();
    expect(await refusalOf(buy(organisation, { credits: 5, country }))).toMatchObject({
      kind: 'invalid',
      violations: [{ type: 'value_error', loc: ['body', 'country'], input: country }],
    });
    expect((await list(organisation)).purchases).toEqual([]);
  });

  it('is previewed for any country that is named, which says what it would come to there', async () => {
    const by = member(newOrganisation());
    const taxIn = async (country: string) => (await billing.credits.previewPrice({ credits: 1000, country }, by)).tax;
    expect([await taxIn('DE'), await taxIn('FR'), await taxIn('US')]).toEqual([1.9, 2, 0]);
    expect((await refusalOf(taxIn('ZZ'))).violations?.map(({ loc }) => loc)).toEqual([['query', 'country']]);
  });

  it('that is less than can be paid is refused, and nothing is charged', async () => {
    const organisation = newOrganisation();
    expect(await refusalOf(buy(organisation, { credits: 41 }))).toMatchObject({
      kind: 'conflict',
      code: 'amount_below_minimum',
      message: 'This comes to 0.49, and less than 0.50 EUR cannot be paid',
    });
    expect((await list(organisation)).purchases).toEqual([]);
    expect(await buy(organisation, { credits: 42 })).toMatchObject({ status: 'SUCCEEDED', total: 0.5 });
  });

  it('is taxed where the organisation says it is, unless its card is of another country', async () => {
    const organisation = await payingWith('pm_card_visa');
    const preview = () => billing.credits.previewPrice({ credits: 1000 }, member(organisation, 'VIEWER'));
    const countryIs = (country: string | null) =>
      billing.invoices.setBillingDetails(
        { companyName: '', addressLines: [], vatId: '', country },
        member(organisation),
      );
    expect(await preview()).toMatchObject({ tax: 1.9 });
    await countryIs('FR');
    expect(await preview()).toMatchObject({ tax: 2 });
    expect(await buy(organisation, { credits: 1000 })).toMatchObject({ country: 'FR', tax: 2 });
    const swiss = await setUpCard(organisation, 'pm_card_ch');
    expect(swiss).toMatchObject({ country: 'CH' });
    const withIt = { credits: 1000, paymentMethodId: swiss?.id ?? '' };
    expect(await buy(organisation, withIt)).toMatchObject({ country: 'CH', tax: 0.81 });
    await countryIs(null);
    expect(await buy(organisation, { credits: 1000 })).toMatchObject({ country: 'DE', tax: 1.9 });
    const { invoices } = await billing.invoices.listInvoices({}, member(organisation));
    expect(
      invoices.map(({ country, tax, taxEvidence }) => [
        country,
        tax,
        taxEvidence?.billingCountry,
        taxEvidence?.cardCountry,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['CH', 0.81, 'FR', 'CH'],
        ['DE', 1.9, null, null],
        ['FR', 2, 'FR', null],
      ]),
    );
  });

  it('with a payment method that does not exist adds nothing and is not tried again', async () => {
    const organisation = newOrganisation();
    expect(await refusalOf(buy(organisation, { credits: 50, paymentMethodId: newId() }))).toMatchObject({
      kind: 'not_found',
    });
    expect(await available(organisation)).toBe('0');
    expect((await list(organisation)).purchases).toMatchObject([{ status: 'DECLINED' }]);
  });

  it.each([
    ['pm_card_chargeCustomerFail', 'card_declined'],
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
  ])('with a card that is declined is 402, adds nothing, and stays in the list as DECLINED: %s', async (card, code) => {
    const organisation = await payingWith(card);
    expect(await refusalOf(buy(organisation, { credits: 50 }))).toEqual({
      kind: 'payment_required',
      code,
      message: 'The payment was refused',
    });
    expect(await available(organisation)).toBe('0');
    expect((await billing.invoices.listInvoices({}, member(organisation))).invoices).toEqual([]);
    expect((await list(organisation)).purchases).toMatchObject([
      { status: 'DECLINED', credits: 50, clientSecret: null },
    ]);
  });

  it('that the buyer has to confirm brings its credits when that is done, once', async () => {
    const organisation = await payingWith('pm_card_authenticationRequired');
    const purchase = await buy(organisation, { credits: 70 });
    expect(purchase).toMatchObject({ status: 'REQUIRES_ACTION', clientSecret: expect.stringContaining('_secret_') });
    expect(await get(organisation, purchase.id)).toEqual(purchase);
    expect(await available(organisation)).toBe('0');
    const confirm = (by: string) =>
      billing.paymentMethods.confirmInSandbox({ clientSecret: purchase.clientSecret ?? '' }, member(by));
    expect(await refusalOf(confirm(newOrganisation()))).toMatchObject({ kind: 'not_found' });
    const answers = await Promise.all(Array.from({ length: 5 }, () => confirm(organisation)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    await confirm(organisation);
    expect(await available(organisation)).toBe(micros(70));
    expect(await get(organisation, purchase.id)).toEqual({ ...purchase, status: 'SUCCEEDED', clientSecret: null });
    expect((await billing.invoices.listInvoices({}, member(organisation))).invoices).toHaveLength(1);
  });
});

describe('the form of the sandbox', () => {
  const setUp = async (organisation: string) =>
    (await billing.paymentMethods.createSetupIntent({}, member(organisation))).clientSecret;
  const confirm = (organisation: string, clientSecret: string, card: string) =>
    billing.paymentMethods.confirmInSandbox({ clientSecret, card }, member(organisation));

  it('answers the card that a secret has set up when it is repeated after another one', async () => {
    const organisation = newOrganisation();
    const [older, newer] = [await setUp(organisation), await setUp(organisation)];
    const first = await confirm(organisation, older, 'pm_card_visa');
    const second = await confirm(organisation, newer, 'pm_card_mastercard');
    expect([first.paymentMethod?.brand, second.paymentMethod?.brand]).toEqual(['visa', 'mastercard']);
    const again = await confirm(organisation, older, 'pm_card_visa');
    expect(again.paymentMethod?.id).toBe(first.paymentMethod?.id);
  });

  it('names the cards it knows to who asks for another', async () => {
    const organisation = newOrganisation();
    for (const card of ['pm_card_unheard_of', 'constructor']) {
      expect(await refusalOf(confirm(organisation, await setUp(organisation), card))).toMatchObject({
        kind: 'invalid',
        violations: [{ loc: ['body', 'card'], msg: expect.stringContaining("'pm_card_mastercard'") }],
      });
    }
  });

  it('says that it does not know a secret, whatever that was to be for', async () => {
    for (const secret of ['pi_1_secret_2', 'seti_1_secret_2']) {
      expect(await refusalOf(confirm(newOrganisation(), secret, 'pm_card_visa'))).toMatchObject({
        kind: 'not_found',
        code: 'client_secret_not_found',
        message: 'Client secret not found',
      });
    }
  });
});

describe('the purchases of an organisation', () => {
  it('are listed newest first, by status and time, page by page', async () => {
    const organisation = newOrganisation();
    for (const credits of [60, 70, 80]) {
      await buy(organisation, { credits });
      clock.advance(1_000);
    }
    await refusalOf(buy(organisation, { credits: 45, paymentMethodId: newId() }));
    const credits = async (request: Parameters<typeof list>[1]) =>
      (await list(organisation, request)).purchases.map((purchase) => purchase.credits);
    expect(await credits({})).toEqual([45, 80, 70, 60]);
    expect(await credits({ status: ['SUCCEEDED'] })).toEqual([80, 70, 60]);
    expect(await credits({ status: ['DECLINED', 'PENDING'] })).toEqual([45]);
    const { purchases } = await list(organisation);
    const second = purchases[2]?.createdAt ?? null;
    expect(await credits({ createdAfter: second })).toEqual([45, 80]);
    expect(await credits({ createdBefore: second })).toEqual([60]);
    const first = await list(organisation, { limit: 3, includeTotal: true });
    expect([first.purchases.length, first.totalCount]).toEqual([3, 4]);
    expect(await credits({ limit: 3, cursor: first.nextCursor })).toEqual([60]);
  });

  it('are nothing to another organisation, whose answer is that of an id that does not exist', async () => {
    const [mine, other] = [newOrganisation(), newOrganisation()];
    const { id } = await buy(mine, { credits: 50 });
    const refusals = await Promise.all([id, newId()].map((each) => refusalOf(get(other, each))));
    for (const refusal of refusals) {
      expect(refusal).toEqual({ kind: 'not_found', code: 'purchase_not_found', message: 'Purchase not found' });
    }
    expect((await list(other)).purchases).toEqual([]);
  });
});

describe('a set-up intent for somebody without a credential', () => {
  it('belongs to nobody: no organisation can set anything up with it', async () => {
    const nobody = { caller: { kind: 'anonymous', service: 'gateway', scopes: [] } as const };
    const { clientSecret } = await billing.paymentMethods.createSetupIntent({}, nobody);
    expect(clientSecret).toMatch(/^seti_.+_secret_/);
    const ada = member(newOrganisation());
    const confirmed = billing.paymentMethods.confirmInSandbox({ clientSecret }, ada);
    expect(await refusalOf(confirmed)).toMatchObject({ kind: 'not_found' });
    expect((await billing.paymentMethods.listPaymentMethods({}, ada)).paymentMethods).toEqual([]);
  });
});
