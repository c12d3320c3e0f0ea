import { newId } from '@platform/core';
import type { Knex } from '@platform/postgres';
import type { Acting } from '../domain/acting.ts';
import { noBuyerDetails, type BuyerDetails } from '../domain/invoices/billing-details.ts';
import { taxOf, type InvoiceTerms } from '../domain/invoices/invoice-terms.ts';
import { invoiceIssued, invoiceNumber, type Invoice, type InvoiceDraft } from '../domain/invoices/invoice.ts';
import type { Seller } from '../domain/invoices/seller.ts';
import { billingDetailsIn } from './billing-details-store.ts';
import { lastKnownName } from './organisation-names-store.ts';
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
  /** Null, as the three after it, on invoices from before these were kept. */
  seller: { name: string; address_lines: string[]; vat_id: string } | null;
  billing_details: { company_name: string; address_lines: string[]; vat_id: string } | null;
  tax_label: string | null;
  tax_basis_points: number | null;
}

/** Of the table `invoice_buyers`, which alone can be filled later. */
export interface InvoiceBuyerRow {
  organisation_id: string;
  invoice_id: string;
  organisation_name: string;
}

/**
 * Issues the invoice of what is being paid for, in the same transaction. Once per source. It is for the organisation as
 * it was last heard of.
 */
export async function issueInvoice(
  trx: Knex.Transaction,
  by: Acting,
  draft: InvoiceDraft,
  at: Date,
  terms: InvoiceTerms,
): Promise<void> {
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
  const organisationName = await lastKnownName(trx, organisationId);
  const { updatedAt: _when, country: _where, ...details } = await billingDetailsIn(trx, organisationId);
  const invoice: Invoice = {
    ...draft,
    id: newId(),
    organisationId,
    number: invoiceNumber(year, rows[0].count),
    createdAt: at,
    paidAt: at,
    buyer: { ...details, organisationName },
    seller: terms.seller,
    tax: taxOf(draft, terms),
  };
  await trx('invoices').insert({ ...rowOfInvoice(invoice) });
  if (organisationName !== null) await nameBuyers(trx, organisationId, [invoice.id], organisationName);
  await recordEvents(trx, by, [invoiceIssued(invoice)]);
}

/** Says for whom invoices are, as far as nobody has said it before. */
export async function nameBuyers(
  trx: Knex.Transaction,
  organisationId: string,
  invoiceIds: readonly string[],
  organisationName: string,
): Promise<void> {
  const rows = invoiceIds.map((id) => ({
    organisation_id: organisationId,
    invoice_id: id,
    organisation_name: organisationName,
  }));
  await trx<InvoiceBuyerRow>('invoice_buyers').insert(rows).onConflict(['organisation_id', 'invoice_id']).ignore();
}

/** `unlessKept` stands on invoices from before the seller was kept with each. */
export const invoiceOfRow = (row: InvoiceRow, organisationName: string | null, unlessKept: Seller): Invoice => ({
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
  buyer: { ...(row.billing_details ? detailsOf(row.billing_details) : noBuyerDetails), organisationName },
  seller: row.seller
    ? { name: row.seller.name, addressLines: row.seller.address_lines, vatId: row.seller.vat_id }
    : unlessKept,
  tax: { label: row.tax_label ?? 'Tax', basisPoints: row.tax_basis_points },
});

const detailsOf = (kept: NonNullable<InvoiceRow['billing_details']>): BuyerDetails => ({
  companyName: kept.company_name,
  addressLines: kept.address_lines,
  vatId: kept.vat_id,
});

const rowOfInvoice = ({ buyer, seller, tax, ...invoice }: Invoice) => ({
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
  seller: JSON.stringify({ name: seller.name, address_lines: seller.addressLines, vat_id: seller.vatId }),
  billing_details: JSON.stringify({
    company_name: buyer.companyName,
    address_lines: buyer.addressLines,
    vat_id: buyer.vatId,
  }),
  tax_label: tax.label,
  tax_basis_points: tax.basisPoints,
});
