import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import type { Founder } from '../../../test/real-identity.ts';
import { checkVatIdsAgain } from '../app/check-vat-id.ts';
import { billingDetailsStore } from '../store/billing-details-store.ts';
import { taxExemptionsStore } from '../store/tax-exemptions-store.ts';
import { readVatId } from '../vat-ids/read-vat-id.ts';
import { viesRegister } from '../vat-ids/vies-register.ts';
import { as, details, startInvoicing } from './invoicing.ts';
import { pdfPages } from './pdf-text.ts';

let invoicing: Awaited<ReturnType<typeof startInvoicing>>;
beforeAll(async () => {
  invoicing = await startInvoicing();
});
afterAll(() => invoicing.stop());

describe('billing details', () => {
  it('are empty until they are set, and then what was set', async () => {
    const organisationId = newOrganisation();
    const get = () => invoicing.billing.invoices.getBillingDetails({}, member(organisationId, 'ADMIN'));
    expect(await get()).toEqual({
      ...{ companyName: '', addressLines: [], vatId: '', country: null, updatedAt: null },
      ...{ email: null, vatIdStatus: null },
    });
    const untidy = {
      ...details,
      companyName: ' Acme GmbH ',
      addressLines: [' Hauptstr. 1', '  ', 'Berlin'],
      country: 'AT',
      email: 'bills@acme.example',
    };
    const set = await invoicing.billing.invoices.setBillingDetails(untidy, member(organisationId));
    const { country, email } = untidy;
    expect(set).toEqual({ ...details, country, email, updatedAt: invoicing.clock.now(), vatIdStatus: 'VERIFIED' });
    expect(await get()).toEqual(set);
    invoicing.clock.advance(1000);
    const again = { ...details, country, email };
    expect(await invoicing.billing.invoices.setBillingDetails(again, member(organisationId))).toEqual(set);
    const emptied = { companyName: '', addressLines: [], vatId: '' };
    expect(await invoicing.billing.invoices.setBillingDetails(emptied, member(organisationId))).toMatchObject({
      ...emptied,
      country: null,
    });
  });

  it('stand on the invoices issued from then on, and on none before', async () => {
    const founder = await invoicing.identity.found();
    await invoicing.buyAs(founder);
    await invoicing.billing.invoices.setBillingDetails(details, as(founder));
    invoicing.clock.advance(1000);
    await invoicing.buyAs(founder);
    await invoicing.billing.invoices.setBillingDetails({ ...details, companyName: 'Later' }, as(founder));
    const { invoices } = await invoicing.list(founder.organisation.id);
    expect(invoices.map(({ buyer }) => buyer)).toEqual([
      { organisationName: 'Acme', ...details },
      { organisationName: 'Acme', companyName: '', addressLines: [], vatId: '' },
    ]);
  });

  it('tell what of them has changed, and nothing when nothing has', async () => {
    const organisationId = newOrganisation();
    const set = (wanted: object) =>
      invoicing.billing.invoices.setBillingDetails({ ...details, ...wanted }, member(organisationId));
    await set({});
    await set({});
    await set({ vatId: 'DE129273398', addressLines: ['Berlin'] });
    await set({ vatId: 'DE129273398', addressLines: ['Berlin'], country: 'DE' });
    const events = await invoicing.billing.pool.tenant(organisationId, (trx) =>
      trx('outbox').where('type', 'platform.v1.billing.billing_details.changed').orderBy('sequence').select('envelope'),
    );
    expect(events).toEqual([
      { envelope: expect.objectContaining({ data: { changed_fields: ['company_name', 'address_lines', 'vat_id'] } }) },
      { envelope: expect.objectContaining({ data: { changed_fields: ['address_lines', 'vat_id'] } }) },
      { envelope: expect.objectContaining({ data: { changed_fields: ['country'] } }) },
    ]);
  });

  it('say where a subscription is taxed, and what is bought', async () => {
    const founder = await invoicing.identity.found();
    await invoicing.billing.invoices.setBillingDetails({ ...details, vatId: '', country: 'FR' }, as(founder));
    await invoicing.billing.subscriptions.changeSubscription({ subscriptionTier: 'TEAM', seatCount: 10 }, as(founder));
    invoicing.clock.advance(1000);
    await invoicing.billing.credits.purchaseCredits({ credits: 1000 }, as(founder));
    expect((await invoicing.list(founder.organisation.id)).invoices).toMatchObject([
      { country: 'FR', subtotal: 10, tax: 2, total: 12, taxRate: 20 },
      // 10 seats at 29.00.
      { country: 'FR', subtotal: 290, tax: 58, total: 348, taxRate: 20 },
    ]);
  });

  it('are refused when an invoice has no room for them, or no way to write them', async () => {
    const wrong: [object, string][] = [
      [{ companyName: 'x'.repeat(201) }, 'company_name'],
      [{ addressLines: Array.from({ length: 7 }, () => 'x') }, 'address_lines'],
      [{ addressLines: ['x'.repeat(201)] }, 'address_lines'],
      [{ addressLines: [''] }, 'address_lines'],
      [{ vatId: '1'.repeat(41) }, 'vat_id'],
      [{ vatId: 'DE_1' }, 'vat_id'],
      [{ vatId: 'DE136695975' }, 'vat_id'],
      [{ vatId: '136695975', country: 'DE' }, 'vat_id'],
      [{ country: 'Germany' }, 'country'],
      [{ country: 'EL' }, 'country'],
      [{ companyName: 'Acme\nGmbH' }, 'company_name'],
      [{ addressLines: ['Berlin\u0007'] }, 'address_lines'],
    ];
    const organisationId = newOrganisation();
    for (const [change, field] of wrong) {
      const call = invoicing.billing.invoices.setBillingDetails({ ...details, ...change }, member(organisationId));
      const { kind, violations } = await refusalOf(call);
      expect([kind, violations?.length, violations?.[0]?.loc.slice(0, 2)]).toEqual(['invalid', 1, ['body', field]]);
    }
    expect(await invoicing.billing.invoices.getBillingDetails({}, member(organisationId))).toMatchObject({
      updatedAt: null,
    });
  });

  it("are each organisation's own", async () => {
    const [mine, other] = [newOrganisation(), newOrganisation()];
    await invoicing.billing.invoices.setBillingDetails(details, member(mine));
    await invoicing.billing.invoices.setBillingDetails({ ...details, companyName: 'Other' }, member(other));
    expect(await invoicing.billing.invoices.getBillingDetails({}, member(mine))).toMatchObject(details);
    expect(await invoicing.billing.invoices.getBillingDetails({}, member(other))).toMatchObject({
      companyName: 'Other',
    });
  });
});

describe('the tax of a business', () => {
  const french = { companyName: 'Acme SARL', addressLines: ['Paris'], vatId: 'FR 40 303265045', country: 'FR' };
  const set = (founder: Founder, more: object = {}) =>
    invoicing.billing.invoices.setBillingDetails({ ...french, ...more }, as(founder));
  const bought = async (founder: Founder) => {
    await invoicing.buyAs(founder);
    return (await invoicing.list(founder.organisation.id)).invoices[0];
  };
  // The seller sits in Germany.
  const reversed = { country: 'FR', tax: 0, total: 10, taxRate: 0, taxTreatment: 'REVERSE_CHARGE' };

  it('in another country of the EU is its own to account for, which the invoice says, with why', async () => {
    const founder = await invoicing.identity.found();
    expect(await set(founder)).toMatchObject({ vatId: 'FR 40 303265045', vatIdStatus: 'VERIFIED' });
    expect(invoicing.vies.asked.at(-1)).toMatchObject({
      countryCode: 'FR',
      vatNumber: '40303265045',
      requesterNumber: '1234567X',
    });
    const invoice = await bought(founder);
    expect(invoice).toMatchObject({
      ...reversed,
      taxNote: expect.stringContaining('Reverse charge'),
      taxEvidence: {
        billingCountry: 'FR',
        cardCountry: null,
        vatId: 'FR 40 303265045',
        vatIdStatus: 'VERIFIED',
        vatConsultation: expect.stringMatching(/^WAPI/),
        exemption: null,
      },
    });
    const words = (await pdfPages(await invoicing.pdfOf(founder))).join(' ').replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      'Reverse charge: the recipient accounts for the VAT (Articles 44 and 196 of Directive 2006/112/EC).',
    );
    expect(words).toContain('VAT ID: FR 40 303265045');
  });

  it('holds for subscriptions as well', async () => {
    const founder = await invoicing.identity.found();
    await set(founder);
    await invoicing.billing.subscriptions.changeSubscription({ subscriptionTier: 'TEAM', seatCount: 1 }, as(founder));
    const { invoices } = await invoicing.list(founder.organisation.id);
    expect(invoices).toMatchObject([
      { subtotal: 29, tax: 0, taxTreatment: 'REVERSE_CHARGE', taxEvidence: { billingCountry: 'FR' } },
    ]);
  });

  it('is charged where the register does not know the VAT ID', async () => {
    const founder = await invoicing.identity.found();
    invoicing.vies.says('FR83404833048', 'unknown');
    expect(await set(founder, { vatId: 'FR83404833048' })).toMatchObject({ vatIdStatus: 'INVALID' });
    expect(await bought(founder)).toMatchObject({ tax: 2, taxTreatment: 'STANDARD', taxNote: '' });
  });

  it('is charged while the register is away, and no more once it has answered', async () => {
    const founder = await invoicing.identity.found();
    invoicing.vies.says('ATU13585627', 'away');
    const austrian = { country: 'AT', vatId: 'ATU13585627' };
    expect(await set(founder, austrian)).toMatchObject({ vatIdStatus: 'PENDING' });
    expect(await bought(founder)).toMatchObject({ country: 'AT', tax: 2, taxTreatment: 'STANDARD' });
    const ports = {
      ...{
        billingDetails: billingDetailsStore(invoicing.billing.pool),
        readVatId,
        clock: invoicing.clock,
        logger: invoicing.billing.logger,
      },
      vatRegister: viesRegister({ url: invoicing.vies.url, requester: '' }),
    };
    expect(await checkVatIdsAgain(ports)).toBe(0);
    invoicing.vies.says('ATU13585627', 'registered');
    expect(await checkVatIdsAgain(ports)).toBe(1);
    expect(await invoicing.billing.invoices.getBillingDetails({}, as(founder))).toMatchObject({
      vatIdStatus: 'VERIFIED',
    });
    invoicing.clock.advance(1000);
    expect(await bought(founder)).toMatchObject({ country: 'AT', tax: 0, taxTreatment: 'REVERSE_CHARGE' });
    expect(await checkVatIdsAgain(ports)).toBe(0);
  });

  it('that is exempt is none, as long as it is', async () => {
    const founder = await invoicing.identity.found();
    const exemptions = taxExemptionsStore(invoicing.billing.pool);
    const exemption = {
      reason: 'Certificate 12',
      validFrom: invoicing.clock.now(),
      validUntil: new Date(invoicing.clock.now().getTime() + 1000),
    };
    await exemptions.set(founder.organisation.id, exemption);
    expect(await bought(founder)).toMatchObject({
      ...{ tax: 0, taxTreatment: 'EXEMPT', taxNote: 'Exempt from tax: Certificate 12' },
      taxEvidence: { exemption: 'Certificate 12' },
    });
    invoicing.clock.advance(1000);
    expect(await bought(founder)).toMatchObject({ tax: 1.9, taxTreatment: 'STANDARD' });
  });
});
