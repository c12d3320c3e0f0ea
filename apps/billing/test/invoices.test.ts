import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId } from '@platform/core';
import { assertEveryTableIsTenantScoped } from '@platform/postgres';
import { member, newOrganisation, refusalOf, startTestBilling, type TestBilling } from './test-billing.ts';

const clock = fixedClock('2026-04-01T12:00:00.000Z');
let billing: TestBilling;
beforeAll(async () => {
  billing = await startTestBilling({ clock });
}, 60_000);
afterAll(() => billing.stop());

const buy = (organisationId: string, credits: number) =>
  billing.credits.purchaseCredits({ credits, country: 'DE' }, member(organisationId));
const list = async (organisationId: string, request: object = {}) =>
  billing.invoices.listInvoices(request, member(organisationId, 'ADMIN'));

describe('invoices', () => {
  it('are issued for what is paid, counted without gaps, newest first', async () => {
    const organisationId = newOrganisation();
    for (const credits of [1000, 2000, 3000]) {
      await buy(organisationId, credits);
      clock.advance(1000);
    }
    const { invoices } = await list(organisationId);
    expect(invoices.map(({ number }) => number)).toEqual(['2026-000003', '2026-000002', '2026-000001']);
    expect(invoices[2]).toMatchObject({
      status: 'PAID',
      currency: 'EUR',
      country: 'DE',
      lines: [{ description: 'Credits', quantity: '1000', amount: 10 }],
      subtotal: 10,
      tax: 1.9,
      total: 11.9,
    });
    const first = await list(organisationId, { limit: 2, includeTotal: true });
    expect([first.invoices.length, first.totalCount]).toEqual([2, 3]);
    const rest = await list(organisationId, { limit: 2, cursor: first.nextCursor });
    expect(rest.invoices.map(({ number }) => number)).toEqual(['2026-000001']);
    expect((await list(organisationId, { status: ['VOID'] })).invoices).toEqual([]);
  });

  it('have one number each when many are issued at once', async () => {
    const organisationId = newOrganisation();
    await Promise.all(Array.from({ length: 10 }, () => buy(organisationId, 1000)));
    const { invoices } = await list(organisationId);
    const expected = Array.from({ length: 10 }, (_, index) => `2026-${String(index + 1).padStart(6, '0')}`);
    expect(invoices.map(({ number }) => number).sort()).toEqual(expected);
  });

  it('can be had as a PDF, the same one every time', async () => {
    const organisationId = newOrganisation();
    await buy(organisationId, 1000);
    const [invoice] = (await list(organisationId)).invoices;
    const get = () => billing.invoices.getInvoicePdf({ invoiceId: invoice?.id ?? '' }, member(organisationId));
    const [first, second] = [Buffer.from((await get()).content), Buffer.from((await get()).content)];
    expect(first.subarray(0, 5).toString()).toBe('%PDF-');
    expect(first.subarray(-6).toString().trim()).toBe('%%EOF');
    expect(first.equals(second)).toBe(true);
  });

  it("answer another organisation's id like one that does not exist, and are an ADMIN's to read", async () => {
    const [mine, other] = [newOrganisation(), newOrganisation()];
    await buy(mine, 1000);
    const [invoice] = (await list(mine)).invoices;
    for (const invoiceId of [invoice?.id ?? '', newId()]) {
      for (const call of [
        billing.invoices.getInvoice({ invoiceId }, member(other)),
        billing.invoices.getInvoicePdf({ invoiceId }, member(other)),
      ]) {
        expect(await refusalOf(call)).toEqual({
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

describe('the schema', () => {
  it('shows every row to its organisation alone', async () => {
    await assertEveryTableIsTenantScoped(billing.pool.knex);
  });
});
