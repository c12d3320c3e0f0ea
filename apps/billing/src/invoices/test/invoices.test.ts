import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@platform-backend/auth';
import { DomainError, newId, PERMISSION_LEVELS, type PermissionLevel } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { assertEveryTableIsTenantScoped } from '@platform-backend/postgres';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { readFileSync } from 'node:fs';
import type { TestBilling } from '../../../test/test-billing.ts';
import { systemActor } from '../../events.ts';
import { parsePriceBook } from '../../prices/domain/parse-price-book.ts';
import type { InvoiceDraft } from '../domain/invoice.ts';
import { sellerOf } from '../domain/seller.ts';
import { saveInvoice } from '../store/invoice-rows.ts';
import { as, details, startInvoicing } from './invoicing.ts';
import { pdfPages } from './pdf-text.ts';

let invoicing: Awaited<ReturnType<typeof startInvoicing>>;
beforeAll(async () => {
  invoicing = await startInvoicing();
});
afterAll(() => invoicing.stop());

describe('invoices', () => {
  it('are issued for what is paid, counted without gaps, newest first', async () => {
    const organisationId = newOrganisation();
    for (const credits of [1000, 2000, 3000]) {
      await invoicing.buy(organisationId, credits);
      invoicing.clock.advance(1000);
    }
    const { invoices } = await invoicing.list(organisationId);
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
    const page = await invoicing.list(organisationId, { limit: 2, includeTotal: true });
    expect([page.invoices.length, page.totalCount]).toEqual([2, 3]);
    const rest = await invoicing.list(organisationId, { limit: 2, cursor: page.nextCursor });
    expect(rest.invoices.map(({ number }) => number)).toEqual([first]);
    expect((await invoicing.list(organisationId, { status: ['VOID'] })).invoices).toEqual([]);
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
          await invoicing.billing.pool.tenant(organisationId, async (trx) => {
            await saveInvoice(trx, by, { ...sale, source: `purchase:${index}` }, invoicing.clock.now(), terms);
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
      const issued = await invoicing.billing.pool.tenant(organisationId, (trx) =>
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
    await invoicing.buy(organisationId, 1000);
    const inTheStates = { companyName: '', addressLines: [], vatId: '', country: 'US' };
    await invoicing.billing.invoices.setBillingDetails(inTheStates, member(organisationId));
    await invoicing.buy(organisationId, 1000);
    const { invoices } = await invoicing.list(organisationId);
    const seller = { name: 'Seller Ltd', addressLines: ['1 Market Street', 'Dublin'], vatId: 'IE1234567X' };
    expect(invoices.find(({ country }) => country === 'DE')).toMatchObject({ seller, taxLabel: 'VAT', taxRate: 19 });
    expect(invoices.find(({ country }) => country === 'US')).toMatchObject({ taxLabel: 'Sales tax', taxRate: 0 });
    expect(invoices.map(({ taxTreatment }) => taxTreatment).toSorted()).toEqual(['NOT_TAXED', 'STANDARD']);
  });

  it('can be had as a PDF, the same one every time', async () => {
    const founder = await invoicing.identity.found();
    await invoicing.rename(founder, 'Ромашка & Ελιά');
    await invoicing.buyAs(founder);
    const first = await invoicing.pdfOf(founder);
    expect(first.subarray(0, 5).toString()).toBe('%PDF-');
    expect(first.subarray(-6).toString().trim()).toBe('%%EOF');
    const text = (await pdfPages(first)).join('\n');
    for (const said of ['Ромашка & Ελιά', 'INV-2026-0000', 'VAT 19 % (DE)', 'Total EUR', '11.90', 'Seller Ltd'])
      expect(text).toContain(said);
    await invoicing.rename(founder, 'Another');
    await invoicing.billing.invoices.setBillingDetails(details, as(founder));
    expect((await invoicing.pdfOf(founder)).equals(first)).toBe(true);
  });

  it("answer another organisation's id like one that does not exist, and are an ADMIN's to read", async () => {
    const [mine, other] = [newOrganisation(), newOrganisation()];
    await invoicing.buy(mine, 1000);
    const [invoice] = (await invoicing.list(mine)).invoices;
    for (const invoiceId of [invoice?.id ?? '', newId()]) {
      const calls = [
        invoicing.billing.invoices.getInvoice({ invoiceId }, member(other)),
        invoicing.billing.invoices.getInvoicePdf({ invoiceId }, member(other)),
      ];
      for (const refusal of await Promise.all(calls.map(refusalOf))) {
        expect(refusal).toEqual({
          kind: 'not_found',
          code: 'invoice_not_found',
          message: 'Invoice not found',
        });
      }
    }
    expect((await invoicing.list(other)).invoices).toEqual([]);
    expect(await refusalOf(invoicing.billing.invoices.listInvoices({}, member(mine, 'EDITOR')))).toMatchObject({
      kind: 'forbidden',
    });
  });

  it('can be changed or removed by nobody, for the role of the service has no right to', async () => {
    const organisationId = newOrganisation();
    await invoicing.buy(organisationId, 1000);
    const attempts = [
      () => invoicing.billing.pool.tenant(organisationId, (trx) => trx('invoices').update({ currency: 'USD' })),
      () => invoicing.billing.pool.tenant(organisationId, (trx) => trx('invoices').delete()),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow(/permission denied/);
  });
});

describe('whom an invoice is for', () => {
  it('is the organisation as it was called when the invoice was issued', async () => {
    const founder = await invoicing.identity.found();
    await invoicing.buyAs(founder);
    await invoicing.rename(founder, 'Renamed');
    await invoicing.buyAs(founder);
    expect(await invoicing.buyerNames(founder)).toEqual(['Renamed', 'Acme']);
  });

  it('is known for subscriptions, too, without asking once more', async () => {
    const founder = await invoicing.identity.found();
    await invoicing.billing.subscriptions.changeSubscription({ subscriptionTier: 'TEAM', seatCount: 2 }, as(founder));
    expect(await invoicing.buyerNames(founder)).toEqual(['Acme']);
  });

  it('is the organisation as it was last called while identity is away, and purchases go on', async () => {
    const founder = await invoicing.identity.found();
    await invoicing.buyAs(founder);
    await invoicing.whileIdentityIsAway(() => invoicing.buyAs(founder));
    await invoicing.rename(founder, 'Renamed');
    expect(await invoicing.buyerNames(founder)).toEqual(['Acme', 'Acme']);
  });

  it('is said once, as soon as somebody can say it, where nobody ever could', async () => {
    const founder = await invoicing.identity.found();
    await invoicing.whileIdentityIsAway(async () => {
      await invoicing.buyAs(founder);
      expect(await invoicing.buyerNames(founder)).toEqual(['']);
      await expect(invoicing.pdfOf(founder)).rejects.toMatchObject({ kind: 'unavailable' });
    });
    const shown = await Promise.all(Array.from({ length: 5 }, () => invoicing.buyerNames(founder)));
    expect(shown).toEqual(Array.from({ length: 5 }, () => ['Acme']));
    await invoicing.rename(founder, 'Renamed');
    expect(await invoicing.buyerNames(founder)).toEqual(['Acme']);
    expect((await pdfPages(await invoicing.pdfOf(founder))).join('\n')).toContain('Acme');
  });

  it('can be said again by nobody, for the role of the service has no right to', async () => {
    const founder = await invoicing.identity.found();
    await invoicing.buyAs(founder);
    const organisationId = founder.organisation.id;
    const attempts = [
      () =>
        invoicing.billing.pool.tenant(organisationId, (trx) =>
          trx('invoice_buyers').update({ organisation_name: 'Other' }),
        ),
      () => invoicing.billing.pool.tenant(organisationId, (trx) => trx('invoice_buyers').delete()),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow(/permission denied/);
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
      const call = invoicing.billing.invoices[method] as (request: object, options: CallOptions) => Promise<unknown>;
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
    await assertEveryTableIsTenantScoped(invoicing.billing.pool.knex);
  });
});
