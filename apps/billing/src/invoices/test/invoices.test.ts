import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@platform-backend/auth';
import { DomainError, fixedClock, newId, PERMISSION_LEVELS, type PermissionLevel } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { assertEveryTableIsTenantScoped } from '@platform-backend/postgres';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { readFileSync } from 'node:fs';
import { startRealIdentity, type Founder, type RealIdentity } from '../../../test/real-identity.ts';
import { startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { startViesDouble, type ViesDouble } from '../../../test/vies-double.ts';
import { systemActor } from '../../events.ts';
import { parsePriceBook } from '../../prices/domain/parse-price-book.ts';
import { checkVatIdsAgain } from '../app/check-vat-id.ts';
import type { InvoiceDraft } from '../domain/invoice.ts';
import { sellerOf } from '../domain/seller.ts';
import { billingDetailsStore } from '../store/billing-details-store.ts';
import { saveInvoice } from '../store/invoice-rows.ts';
import { taxExemptionsStore } from '../store/tax-exemptions-store.ts';
import { readVatId } from '../vat-ids/read-vat-id.ts';
import { viesRegister } from '../vat-ids/vies-register.ts';
import { pdfPages } from './pdf-text.ts';

const clock = fixedClock('2026-04-01T12:00:00.000Z');
let identity: RealIdentity;
let billing: TestBilling;
let vies: ViesDouble;
beforeAll(async () => {
  identity = await startRealIdentity();
  vies = await startViesDouble();
  billing = await startTestBilling({
    clock,
    environment: {
      IDENTITY_ADDRESS: identity.process.address,
      BILLING_VIES_URL: vies.url,
      BILLING_SELLER: 'Seller Ltd',
      BILLING_SELLER_ADDRESS: '1 Market Street; Dublin;',
      BILLING_SELLER_VAT_ID: 'IE1234567X',
    },
  });
});
afterAll(async () => {
  await billing.stop();
  await identity.stop();
  await vies.close();
});

const buy = (organisationId: string, credits: number) =>
  billing.credits.purchaseCredits({ credits }, member(organisationId));
const list = async (organisationId: string, request: object = {}) =>
  billing.invoices.listInvoices(request, member(organisationId, 'ADMIN'));

const details = { companyName: 'Acme GmbH', addressLines: ['Hauptstr. 1', 'Berlin'], vatId: 'DE136695976' };
const as = ({ caller }: Founder) => ({ caller });
const rename = (founder: Founder, name: string) =>
  identity.organisations.updateCurrentOrganisation({ name, updateMask: { paths: ['name'] } }, as(founder));
const buyAs = (founder: Founder) => billing.credits.purchaseCredits({ credits: 1000 }, as(founder));
const buyerNames = async ({ organisation }: Founder) =>
  (await list(organisation.id)).invoices.map(({ buyer }) => buyer?.organisationName);

async function pdfOf(founder: Founder): Promise<Buffer> {
  const { invoices } = await list(founder.organisation.id);
  const { content } = await billing.invoices.getInvoicePdf({ invoiceId: invoices.at(-1)?.id ?? '' }, as(founder));
  return Buffer.from(content);
}

/** It has connections still, which is the slower way to be away: nobody is told at once. */
async function whileIdentityIsAway(work: () => Promise<unknown>): Promise<void> {
  identity.process.freeze();
  try {
    await work();
  } finally {
    identity.process.thaw();
  }
}

describe('invoices', () => {
  it('are issued for what is paid, counted without gaps, newest first', async () => {
    const organisationId = newOrganisation();
    for (const credits of [1000, 2000, 3000]) {
      await buy(organisationId, credits);
      clock.advance(1000);
    }
    const { invoices } = await list(organisationId);
    // Others have invoices in the same series.
    const [third, second, first] = invoices.map(({ number }) => number);
    expect([first, second, third]).toEqual([first, second, third].toSorted());
    expect(first).toMatch(/^INV-2026-\d{6}$/);
    expect(invoices[2]).toMatchObject({
      status: 'PAID',
      currency: 'EUR',
      country: 'DE',
      lines: [{ description: 'Credits', quantity: '1000', amount: 10 }],
      subtotal: 10,
      tax: 1.9,
      total: 11.9,
    });
    const page = await list(organisationId, { limit: 2, includeTotal: true });
    expect([page.invoices.length, page.totalCount]).toEqual([2, 3]);
    const rest = await list(organisationId, { limit: 2, cursor: page.nextCursor });
    expect(rest.invoices.map(({ number }) => number)).toEqual([first]);
    expect((await list(organisationId, { status: ['VOID'] })).invoices).toEqual([]);
  });

  it('have numbers without gaps over all organisations, whoever is killed while they are issued', async () => {
    const organisations = Array.from({ length: 6 }, newOrganisation);
    const series = 'KILLED';
    const priceBook = parsePriceBook(readFileSync(new URL('../../../config/price-book.json', import.meta.url), 'utf8'));
    const terms = { seller: sellerOf('Acme', undefined, undefined), series, priceBook };
    const sale: Omit<InvoiceDraft, 'source'> = {
      ...{ currency: 'EUR', country: 'DE', lines: [], taxed: null },
      ...{ subtotalMinor: 100n, taxMinor: 19n, totalMinor: 119n },
    };
    /** Issues an invoice until that is known to have happened, in transactions that some kill or undo. */
    async function issue(index: number): Promise<void> {
      const organisationId = organisations[index % organisations.length] ?? '';
      const by = systemActor(organisationId, newId());
      for (let attempt = 0; ; attempt += 1) {
        try {
          await billing.pool.tenant(organisationId, async (trx) => {
            await saveInvoice(trx, by, { ...sale, source: `purchase:${index}` }, clock.now(), terms);
            if (attempt === 0 && index % 3 === 0) throw new Error('undone');
            if (attempt === 0 && index % 4 === 1) await trx.raw('SELECT pg_terminate_backend(pg_backend_pid())');
          });
          return;
        } catch {
          // What it came to is not known: the same source is issued once.
        }
      }
    }
    await Promise.all(Array.from({ length: 48 }, (_, index) => issue(index)));
    const numbers: string[] = [];
    for (const organisationId of organisations) {
      const issued = await billing.pool.tenant(organisationId, (trx) =>
        trx('invoices').where({ series }).select('number'),
      );
      numbers.push(...issued.map(({ number }: { number: string }) => number));
    }
    expect(numbers.toSorted()).toEqual(
      Array.from({ length: 48 }, (_, index) => `KILLED-2026-${String(index + 1).padStart(6, '0')}`),
    );
  });

  it('say who issued them, and at what rate they are taxed', async () => {
    const organisationId = newOrganisation();
    await buy(organisationId, 1000);
    const inTheStates = { companyName: '', addressLines: [], vatId: '', country: 'US' };
    await billing.invoices.setBillingDetails(inTheStates, member(organisationId));
    await buy(organisationId, 1000);
    const { invoices } = await list(organisationId);
    const seller = { name: 'Seller Ltd', addressLines: ['1 Market Street', 'Dublin'], vatId: 'IE1234567X' };
    expect(invoices.find(({ country }) => country === 'DE')).toMatchObject({ seller, taxLabel: 'VAT', taxRate: 19 });
    expect(invoices.find(({ country }) => country === 'US')).toMatchObject({ taxLabel: 'Sales tax', taxRate: 0 });
    expect(invoices.map(({ taxTreatment }) => taxTreatment).toSorted()).toEqual(['NOT_TAXED', 'STANDARD']);
  });

  it('can be had as a PDF, the same one every time', async () => {
    const founder = await identity.found();
    await rename(founder, 'Ромашка & Ελιά');
    await buyAs(founder);
    const first = await pdfOf(founder);
    expect(first.subarray(0, 5).toString()).toBe('%PDF-');
    expect(first.subarray(-6).toString().trim()).toBe('%%EOF');
    const text = (await pdfPages(first)).join('\n');
    for (const said of ['Ромашка & Ελιά', 'INV-2026-0000', 'VAT 19 % (DE)', 'Total EUR', '11.90', 'Seller Ltd'])
      expect(text).toContain(said);
    await rename(founder, 'Another');
    await billing.invoices.setBillingDetails(details, as(founder));
    expect((await pdfOf(founder)).equals(first)).toBe(true);
  });

  it("answer another organisation's id like one that does not exist, and are an ADMIN's to read", async () => {
    const [mine, other] = [newOrganisation(), newOrganisation()];
    await buy(mine, 1000);
    const [invoice] = (await list(mine)).invoices;
    for (const invoiceId of [invoice?.id ?? '', newId()]) {
      const calls = [
        billing.invoices.getInvoice({ invoiceId }, member(other)),
        billing.invoices.getInvoicePdf({ invoiceId }, member(other)),
      ];
      for (const refusal of await Promise.all(calls.map(refusalOf))) {
        expect(refusal).toEqual({
          kind: 'not_found',
          code: 'invoice_not_found',
          message: 'Invoice not found',
        });
      }
    }
    expect((await list(other)).invoices).toEqual([]);
    expect(await refusalOf(billing.invoices.listInvoices({}, member(mine, 'EDITOR')))).toMatchObject({
      kind: 'forbidden',
    });
  });

  it('can be changed or removed by nobody, for the role of the service has no right to', async () => {
    const organisationId = newOrganisation();
    await buy(organisationId, 1000);
    const attempts = [
      () => billing.pool.tenant(organisationId, (trx) => trx('invoices').update({ currency: 'USD' })),
      () => billing.pool.tenant(organisationId, (trx) => trx('invoices').delete()),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow(/permission denied/);
  });
});

describe('whom an invoice is for', () => {
  it('is the organisation as it was called when the invoice was issued', async () => {
    const founder = await identity.found();
    await buyAs(founder);
    await rename(founder, 'Renamed');
    await buyAs(founder);
    expect(await buyerNames(founder)).toEqual(['Renamed', 'Acme']);
  });

  it('is known for subscriptions, too, without asking once more', async () => {
    const founder = await identity.found();
    await billing.subscriptions.changeSubscription({ subscriptionTier: 'TEAM', seatCount: 2 }, as(founder));
    expect(await buyerNames(founder)).toEqual(['Acme']);
  });

  it('is the organisation as it was last called while identity is away, and purchases go on', async () => {
    const founder = await identity.found();
    await buyAs(founder);
    await whileIdentityIsAway(() => buyAs(founder));
    await rename(founder, 'Renamed');
    expect(await buyerNames(founder)).toEqual(['Acme', 'Acme']);
  });

  it('is said once, as soon as somebody can say it, where nobody ever could', async () => {
    const founder = await identity.found();
    await whileIdentityIsAway(async () => {
      await buyAs(founder);
      expect(await buyerNames(founder)).toEqual(['']);
      await expect(pdfOf(founder)).rejects.toMatchObject({ kind: 'unavailable' });
    });
    const shown = await Promise.all(Array.from({ length: 5 }, () => buyerNames(founder)));
    expect(shown).toEqual(Array.from({ length: 5 }, () => ['Acme']));
    await rename(founder, 'Renamed');
    expect(await buyerNames(founder)).toEqual(['Acme']);
    expect((await pdfPages(await pdfOf(founder))).join('\n')).toContain('Acme');
  });

  it('can be said again by nobody, for the role of the service has no right to', async () => {
    const founder = await identity.found();
    await buyAs(founder);
    const organisationId = founder.organisation.id;
    const attempts = [
      () => billing.pool.tenant(organisationId, (trx) => trx('invoice_buyers').update({ organisation_name: 'Other' })),
      () => billing.pool.tenant(organisationId, (trx) => trx('invoice_buyers').delete()),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow(/permission denied/);
  });
});

describe('billing details', () => {
  it('are empty until they are set, and then what was set', async () => {
    const organisationId = newOrganisation();
    const get = () => billing.invoices.getBillingDetails({}, member(organisationId, 'ADMIN'));
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
    const set = await billing.invoices.setBillingDetails(untidy, member(organisationId));
    const { country, email } = untidy;
    expect(set).toEqual({ ...details, country, email, updatedAt: clock.now(), vatIdStatus: 'VERIFIED' });
    expect(await get()).toEqual(set);
    clock.advance(1000);
    const again = { ...details, country, email };
    expect(await billing.invoices.setBillingDetails(again, member(organisationId))).toEqual(set);
    const emptied = { companyName: '', addressLines: [], vatId: '' };
    expect(await billing.invoices.setBillingDetails(emptied, member(organisationId))).toMatchObject({
      ...emptied,
      country: null,
    });
  });

  it('stand on the invoices issued from then on, and on none before', async () => {
    const founder = await identity.found();
    await buyAs(founder);
    await billing.invoices.setBillingDetails(details, as(founder));
    clock.advance(1000);
    await buyAs(founder);
    await billing.invoices.setBillingDetails({ ...details, companyName: 'Later' }, as(founder));
    const { invoices } = await list(founder.organisation.id);
    expect(invoices.map(({ buyer }) => buyer)).toEqual([
      { organisationName: 'Acme', ...details },
      { organisationName: 'Acme', companyName: '', addressLines: [], vatId: '' },
    ]);
  });

  it('tell what of them has changed, and nothing when nothing has', async () => {
    const organisationId = newOrganisation();
    const set = (wanted: object) =>
      billing.invoices.setBillingDetails({ ...details, ...wanted }, member(organisationId));
    await set({});
    await set({});
    await set({ vatId: 'DE129273398', addressLines: ['Berlin'] });
    await set({ vatId: 'DE129273398', addressLines: ['Berlin'], country: 'DE' });
    const events = await billing.pool.tenant(organisationId, (trx) =>
      trx('outbox').where('type', 'platform.v1.billing.billing_details.changed').orderBy('sequence').select('envelope'),
    );
    expect(events).toEqual([
      { envelope: expect.objectContaining({ data: { changed_fields: ['company_name', 'address_lines', 'vat_id'] } }) },
      { envelope: expect.objectContaining({ data: { changed_fields: ['address_lines', 'vat_id'] } }) },
      { envelope: expect.objectContaining({ data: { changed_fields: ['country'] } }) },
    ]);
  });

  it('say where a subscription is taxed, and what is bought', async () => {
    const founder = await identity.found();
    await billing.invoices.setBillingDetails({ ...details, vatId: '', country: 'FR' }, as(founder));
    await billing.subscriptions.changeSubscription({ subscriptionTier: 'TEAM', seatCount: 10 }, as(founder));
    clock.advance(1000);
    await billing.credits.purchaseCredits({ credits: 1000 }, as(founder));
    expect((await list(founder.organisation.id)).invoices).toMatchObject([
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
      const call = billing.invoices.setBillingDetails({ ...details, ...change }, member(organisationId));
      const { kind, violations } = await refusalOf(call);
      expect([kind, violations?.length, violations?.[0]?.loc.slice(0, 2)]).toEqual(['invalid', 1, ['body', field]]);
    }
    expect(await billing.invoices.getBillingDetails({}, member(organisationId))).toMatchObject({ updatedAt: null });
  });

  it("are each organisation's own", async () => {
    const [mine, other] = [newOrganisation(), newOrganisation()];
    await billing.invoices.setBillingDetails(details, member(mine));
    await billing.invoices.setBillingDetails({ ...details, companyName: 'Other' }, member(other));
    expect(await billing.invoices.getBillingDetails({}, member(mine))).toMatchObject(details);
    expect(await billing.invoices.getBillingDetails({}, member(other))).toMatchObject({ companyName: 'Other' });
  });
});

describe('the tax of a business', () => {
  const french = { companyName: 'Acme SARL', addressLines: ['Paris'], vatId: 'FR 40 303265045', country: 'FR' };
  const set = (founder: Founder, more: object = {}) =>
    billing.invoices.setBillingDetails({ ...french, ...more }, as(founder));
  const bought = async (founder: Founder) => {
    await buyAs(founder);
    return (await list(founder.organisation.id)).invoices[0];
  };
  // The seller sits in Germany.
  const reversed = { country: 'FR', tax: 0, total: 10, taxRate: 0, taxTreatment: 'REVERSE_CHARGE' };

  it('in another country of the EU is its own to account for, which the invoice says, with why', async () => {
    const founder = await identity.found();
    expect(await set(founder)).toMatchObject({ vatId: 'FR 40 303265045', vatIdStatus: 'VERIFIED' });
    expect(vies.asked.at(-1)).toMatchObject({
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
    const words = (await pdfPages(await pdfOf(founder))).join(' ').replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      'Reverse charge: the recipient accounts for the VAT (Articles 44 and 196 of Directive 2006/112/EC).',
    );
    expect(words).toContain('VAT ID: FR 40 303265045');
  });

  it('holds for subscriptions as well', async () => {
    const founder = await identity.found();
    await set(founder);
    await billing.subscriptions.changeSubscription({ subscriptionTier: 'TEAM', seatCount: 1 }, as(founder));
    const { invoices } = await list(founder.organisation.id);
    expect(invoices).toMatchObject([
      { subtotal: 29, tax: 0, taxTreatment: 'REVERSE_CHARGE', taxEvidence: { billingCountry: 'FR' } },
    ]);
  });

  it('is charged where the register does not know the VAT ID', async () => {
    const founder = await identity.found();
    vies.says('FR83404833048', 'unknown');
    expect(await set(founder, { vatId: 'FR83404833048' })).toMatchObject({ vatIdStatus: 'INVALID' });
    expect(await bought(founder)).toMatchObject({ tax: 2, taxTreatment: 'STANDARD', taxNote: '' });
  });

  it('is charged while the register is away, and no more once it has answered', async () => {
    const founder = await identity.found();
    vies.says('ATU13585627', 'away');
    const austrian = { country: 'AT', vatId: 'ATU13585627' };
    expect(await set(founder, austrian)).toMatchObject({ vatIdStatus: 'PENDING' });
    expect(await bought(founder)).toMatchObject({ country: 'AT', tax: 2, taxTreatment: 'STANDARD' });
    const ports = {
      ...{ billingDetails: billingDetailsStore(billing.pool), readVatId, clock, newId, logger: billing.logger },
      vatRegister: viesRegister({ url: vies.url, requester: '' }),
    };
    expect(await checkVatIdsAgain(ports)).toBe(0);
    vies.says('ATU13585627', 'registered');
    expect(await checkVatIdsAgain(ports)).toBe(1);
    expect(await billing.invoices.getBillingDetails({}, as(founder))).toMatchObject({ vatIdStatus: 'VERIFIED' });
    clock.advance(1000);
    expect(await bought(founder)).toMatchObject({ country: 'AT', tax: 0, taxTreatment: 'REVERSE_CHARGE' });
    expect(await checkVatIdsAgain(ports)).toBe(0);
  });

  it('that is exempt is none, as long as it is', async () => {
    const founder = await identity.found();
    const exemptions = taxExemptionsStore(billing.pool);
    const exemption = {
      reason: 'Certificate 12',
      validFrom: clock.now(),
      validUntil: new Date(clock.now().getTime() + 1000),
    };
    await exemptions.set(founder.organisation.id, exemption);
    expect(await bought(founder)).toMatchObject({
      ...{ tax: 0, taxTreatment: 'EXEMPT', taxNote: 'Exempt from tax: Certificate 12' },
      taxEvidence: { exemption: 'Certificate 12' },
    });
    clock.advance(1000);
    expect(await bought(founder)).toMatchObject({ tax: 1.9, taxTreatment: 'STANDARD' });
  });
});

describe('permission', () => {
  const rules: [method: keyof TestBilling['invoices'], least: PermissionLevel, keys: 'key' | 'no key'][] = [
    ['listInvoices', 'ADMIN', 'key'],
    ['getInvoice', 'ADMIN', 'key'],
    ['getInvoicePdf', 'ADMIN', 'key'],
    ['getBillingDetails', 'ADMIN', 'key'],
    ['setBillingDetails', 'OWNER', 'no key'],
  ];

  it.each(rules)('is given by level and credential: %s', async (method, least, keys) => {
    const organisationId = newOrganisation();
    const outcome = async (caller: Caller): Promise<string> => {
      const call = billing.invoices[method] as (request: object, options: CallOptions) => Promise<unknown>;
      const refusal: unknown = await call({ ...details, invoiceId: newId() }, { caller }).then(
        () => undefined,
        (error: unknown) => error,
      );
      const kind = refusal instanceof DomainError ? refusal.kind : undefined;
      return kind === 'forbidden' || kind === 'unauthenticated' ? kind : 'allowed';
    };
    for (const [rank, level] of PERMISSION_LEVELS.entries()) {
      const { caller } = member(organisationId, level);
      const reaches = rank >= PERMISSION_LEVELS.indexOf(least);
      expect([level, await outcome(caller)]).toEqual([level, reaches ? 'allowed' : 'forbidden']);
      const keyOf = (scope: string): Caller => ({ ...caller, kind: 'api_key', apiKeyId: newId(), scopes: [scope] });
      const byKey = keys === 'key' && reaches ? 'allowed' : 'forbidden';
      expect([level, await outcome(keyOf('billing:admin'))]).toEqual([level, byKey]);
      expect(await outcome(keyOf('elsewhere:admin'))).toBe('forbidden');
    }
    expect(await outcome({ kind: 'anonymous', service: 'gateway', scopes: [] })).toBe('unauthenticated');
    expect(await outcome({ kind: 'service', service: 'gateway', organisationId, scopes: [] })).toBe('forbidden');
  });
});

describe('the schema', () => {
  it('shows every row to its organisation alone', async () => {
    await assertEveryTableIsTenantScoped(billing.pool.knex);
  });
});
