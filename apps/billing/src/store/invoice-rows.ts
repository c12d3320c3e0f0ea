import { newId } from '@platform/core';
import type { Knex } from '@platform/postgres';
import type { Acting } from '../domain/acting.ts';
import { invoiceIssued, invoiceNumber, type Invoice, type InvoiceDraft } from '../domain/invoices/invoice.ts';
import { recordEvents } from './record-events.ts';

export interface InvoiceRow {
  id: string;
  organisation_id: string;
  number: string;
  source: string;
  currency: string;
  country: string;
  lines: { description: string; quantity: number; amount_minor: string }[];
  subtotal_minor: string;
  tax_minor: string;
  total_minor: string;
  created_at: Date;
  paid_at: Date;
}

/** Issues the invoice of what is being paid for, in the same transaction. Once per source. */
export async function issueInvoice(trx: Knex.Transaction, by: Acting, draft: InvoiceDraft, at: Date): Promise<void> {
  const { organisationId } = by;
  const known = await trx<InvoiceRow>('invoices')
    .where({ organisation_id: organisationId, source: draft.source })
    .first('id');
  if (known) return;
  const year = at.getUTCFullYear();
  // The row is locked until the end of the transaction, so numbers have no gaps.
  const { rows } = await trx.raw<{ rows: [{ count: number }] }>(
    `INSERT INTO invoice_counts (organisation_id, year, count) VALUES (?, ?, 1)
     ON CONFLICT (organisation_id, year) DO UPDATE SET count = invoice_counts.count + 1 RETURNING count`,
    [organisationId, year],
  );
  const number = invoiceNumber(year, rows[0].count);
  const invoice: Invoice = { ...draft, id: newId(), organisationId, number, createdAt: at, paidAt: at };
  await trx('invoices').insert({ ...rowOfInvoice(invoice) });
  await recordEvents(trx, by, [invoiceIssued(invoice)]);
}

export const invoiceOfRow = (row: InvoiceRow): Invoice => ({
  id: row.id,
  organisationId: row.organisation_id,
  number: row.number,
  source: row.source,
  currency: row.currency,
  country: row.country,
  lines: row.lines.map(({ amount_minor: amount, ...line }) => ({ ...line, amountMinor: BigInt(amount) })),
  subtotalMinor: BigInt(row.subtotal_minor),
  taxMinor: BigInt(row.tax_minor),
  totalMinor: BigInt(row.total_minor),
  createdAt: row.created_at,
  paidAt: row.paid_at,
});

const rowOfInvoice = (invoice: Invoice) => ({
  id: invoice.id,
  organisation_id: invoice.organisationId,
  number: invoice.number,
  source: invoice.source,
  currency: invoice.currency,
  country: invoice.country,
  lines: JSON.stringify(
    invoice.lines.map(({ amountMinor, ...line }) => ({ ...line, amount_minor: amountMinor.toString() })),
  ),
  subtotal_minor: invoice.subtotalMinor.toString(),
  tax_minor: invoice.taxMinor.toString(),
  total_minor: invoice.totalMinor.toString(),
  created_at: invoice.createdAt,
  paid_at: invoice.paidAt,
});
