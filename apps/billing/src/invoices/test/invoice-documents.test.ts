import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import { member, newOrganisation } from '@platform-backend/service/testing';
import type pg from 'pg';
import { connectAsSuperuser } from '../../../test/ledger-soundness.ts';
import { startTestBilling, type TestBilling } from '../../../test/test-billing.ts';

let billing: TestBilling;
let superuser: pg.Client;
beforeAll(async () => {
  billing = await startTestBilling();
  superuser = await connectAsSuperuser(billing.database);
});
afterAll(async () => {
  await superuser.end();
  await billing.stop();
});

/** An organisation with so many invoices, and their ids. */
async function withInvoices(count: number): Promise<{ organisationId: string; ids: string[] }> {
  const organisationId = newOrganisation();
  await billing.credits.purchaseCredits({ credits: 100 }, member(organisationId));
  await superuser.query(
    `INSERT INTO invoices (id, organisation_id, number, source, currency, country, lines, subtotal_minor, tax_minor,
                           total_minor, created_at, paid_at, seller, billing_details, tax_label, tax_basis_points)
     SELECT gen_random_uuid(), organisation_id, 'more-' || i, 'more-' || i, currency, country, lines, subtotal_minor,
            tax_minor, total_minor, created_at, paid_at, seller, billing_details, tax_label, tax_basis_points
     FROM invoices, generate_series(2, $2) i WHERE organisation_id = $1`,
    [organisationId, count],
  );
  await superuser.query(
    `INSERT INTO invoice_buyers SELECT organisation_id, id, 'Acme' FROM invoices WHERE organisation_id = $1`,
    [organisationId],
  );
  const { rows } = await superuser.query<{ id: string }>('SELECT id FROM invoices WHERE organisation_id = $1', [
    organisationId,
  ]);
  return { organisationId, ids: rows.map(({ id }) => id) };
}

const pdfOf = async (organisationId: string, invoiceId: string): Promise<Buffer> => {
  const { content } = await billing.invoices.getInvoicePdf({ invoiceId }, member(organisationId, 'ADMIN'));
  return Buffer.from(content);
};

describe('the document of an invoice', () => {
  it('is made once and kept, and is nobody else’s', async () => {
    const { organisationId, ids } = await withInvoices(1);
    const [id = ''] = ids;
    const made = await pdfOf(organisationId, id);
    expect(made.subarray(0, 5).toString()).toBe('%PDF-');
    const { rows } = await superuser.query<{ content: Buffer }>(
      'SELECT content FROM invoice_documents WHERE organisation_id = $1',
      [organisationId],
    );
    expect(rows.map(({ content }) => content.equals(made))).toEqual([true]);

    await superuser.query(`UPDATE invoice_documents SET content = 'kept' WHERE invoice_id = $1`, [id]);
    expect((await pdfOf(organisationId, id)).toString()).toBe('kept');
    await expect(pdfOf(newOrganisation(), id)).rejects.toMatchObject({ code: 'invoice_not_found' });
  });

  it('cannot be changed by the service', async () => {
    const { organisationId, ids } = await withInvoices(1);
    await pdfOf(organisationId, ids[0] ?? '');
    for (const attempt of [`UPDATE invoice_documents SET content = 'x'`, 'DELETE FROM invoice_documents']) {
      const refused = billing.pool.tenant(organisationId, (trx) => trx.raw(attempt).then());
      await expect(refused).rejects.toMatchObject({ code: '42501' });
    }
  });

  it('is refused early to who wants two hundred at once, and to no neighbour', async () => {
    const [greedy, modest] = [await withInvoices(200), await withInvoices(5)];
    const events: string[] = [];
    const all = greedy.ids.map((id) =>
      pdfOf(greedy.organisationId, id).then(
        () => events.push('made'),
        (error: unknown) => {
          expect(error).toMatchObject({ kind: 'unavailable', code: 'busy', retryAfterSeconds: 1 });
          events.push('busy');
        },
      ),
    );
    for (const id of modest.ids) {
      expect((await pdfOf(modest.organisationId, id)).subarray(0, 5).toString()).toBe('%PDF-');
    }
    await Promise.all(all);
    // One is being made and sixteen wait; how many more come in later is a matter of speed.
    expect(events.filter((event) => event === 'made').length).toBeGreaterThan(0);
    expect(events.filter((event) => event === 'busy').length).toBeGreaterThan(0);

    // Whoever asks again and again gets them all.
    for (const id of greedy.ids.slice(0, 20)) await untilMade(() => pdfOf(greedy.organisationId, id));
  });
});

async function untilMade(ask: () => Promise<Buffer>): Promise<Buffer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof DomainError && error.kind === 'unavailable')) throw error;
    }
  }
}
